// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parser's events arrive in three states: inside a part that nobody wants
// (skipDepth counts its open brackets), inside a value that is being collected
// on the tape, or in one of the outer containers (frames), where the visitor
// is asked what to do next. No state recurses, and the nesting is limited.

#include "reprise/io/Json.h"

#include "reprise/graph/Error.h"
#include "reprise/io/Utf8.h"

#include "llvm/ADT/StringSet.h"

#include <nlohmann/json.hpp>

#include <charconv>
#include <optional>

namespace reprise {

JsonVisitor::~JsonVisitor() = default;

void JsonVisitor::enter(int) {}

bool JsonVisitor::wants(int, llvm::StringRef, llvm::StringRef) { return true; }

namespace {

/// Walks over a JSON text and takes blanks outside of strings that follow each
/// other for one: the library keeps all that come before a token.
class BlankSkipper {
public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char *;
  using reference = const char &;

  BlankSkipper(const char *at, const char *end) : at(at), end(end) {}

  reference operator*() const { return *at; }
  pointer where() const { return at; }
  BlankSkipper &operator++() {
    char c = *at++;
    if (isEscaped)
      isEscaped = false;
    else if (c == '"')
      isInString = !isInString;
    else if (isInString)
      isEscaped = c == '\\';
    else if (isBlank(c))
      while (at != end && isBlank(*at))
        ++at;
    return *this;
  }
  BlankSkipper operator++(int) {
    BlankSkipper old = *this;
    ++*this;
    return old;
  }
  bool operator==(const BlankSkipper &other) const { return at == other.at; }
  bool operator!=(const BlankSkipper &other) const { return at != other.at; }

private:
  static bool isBlank(char c) {
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
  }

  const char *at, *end;
  bool isInString = false, isEscaped = false;
};

/// The events of one document.
class Events {
public:
  using number_integer_t = nlohmann::json::number_integer_t;
  using number_unsigned_t = nlohmann::json::number_unsigned_t;
  using number_float_t = nlohmann::json::number_float_t;
  using string_t = nlohmann::json::string_t;
  using binary_t = nlohmann::json::binary_t;

  Events(llvm::MemoryBufferRef buffer, JsonVisitor &visitor)
      : buffer(buffer), visitor(visitor) {}

  bool null() { return scalar(JsonKind::Null, {}); }
  bool boolean(bool b) {
    boolValue = b;
    return scalar(JsonKind::Bool, {});
  }
  bool number_integer(number_integer_t v) { return integer(v); }
  bool number_unsigned(number_unsigned_t v) { return integer(v); }
  bool number_float(number_float_t v, const string_t &text) {
    numberValue = v;
    return scalar(JsonKind::Number, text);
  }
  bool string(string_t &s) { return scalar(JsonKind::String, s); }
  bool binary(binary_t &) { return false; }
  bool start_object(size_t) { return open(JsonKind::Object); }
  bool end_object() { return close(); }
  bool start_array(size_t) { return open(JsonKind::List); }
  bool end_array() { return close(); }
  bool key(string_t &name);
  bool parse_error(size_t position, const std::string &,
                   const nlohmann::detail::exception &e);

  llvm::Error takeError() {
    if (failure)
      return std::move(*failure);
    return llvm::Error::success();
  }

private:
  /// An outer container that is being walked through.
  struct Frame {
    int place;
    bool isList;
    JsonAction action; ///< for the next value in it
    std::string key;   ///< of the next value in it
    size_t position = 0;
    llvm::StringSet<> seen;
  };

  bool fail(llvm::Error error) {
    failure.emplace(std::move(error));
    return false;
  }
  template <typename T> bool integer(T v) {
    char digits[24];
    auto end = std::to_chars(digits, digits + sizeof(digits), v).ptr;
    numberValue = static_cast<double>(v);
    return scalar(JsonKind::Number, llvm::StringRef(digits, end - digits));
  }
  bool scalar(JsonKind kind, llvm::StringRef text);
  bool open(JsonKind kind);
  bool close();
  void append(JsonKind kind, llvm::StringRef text);
  bool descend(const JsonAction &action, JsonKind kind);
  bool deliver();
  JsonAction nextAction() const {
    if (frames.empty())
      return {JsonAction::DescendObject, 0};
    return frames.back().action;
  }
  void finishValue() {
    if (!frames.empty())
      ++frames.back().position;
  }

  /// "graph: node", the keys that lead to the next value.
  std::string path() const {
    std::string keys;
    for (const Frame &frame : frames) {
      keys += keys.empty() ? "" : ": ";
      keys += frame.key;
    }
    return keys.empty() ? "document" : keys;
  }

  llvm::MemoryBufferRef buffer;
  JsonVisitor &visitor;
  std::optional<llvm::Error> failure;
  std::vector<Frame> frames;
  size_t depth = 0, skipDepth = 0;

  JsonTape tape;
  int tapePlace = 0;
  std::vector<size_t> openEntries; ///< containers that are not yet closed
  std::string top;                 ///< the outermost open member's key
  bool skipNext = false;
  size_t keyBegin = 0, keySize = 0;

  bool boolValue = false;
  double numberValue = 0;
};

} // namespace

bool Events::key(string_t &name) {
  if (skipDepth)
    return true;
  if (!openEntries.empty()) {
    bool outermost = openEntries.size() == 1;
    skipNext = !visitor.wants(tapePlace, outermost ? "" : top, name);
    if (skipNext)
      return true;
    if (outermost)
      top = name;
    keyBegin = tape.text.size();
    keySize = name.size();
    tape.text += name;
    return true;
  }
  Frame &frame = frames.back();
  frame.key = name;
  frame.action = visitor.member(frame.place, name);
  if (frame.action.kind != JsonAction::Skip && !frame.seen.insert(name).second)
    return fail(makeInputError(path() + ": the key comes twice"));
  return true;
}

void Events::append(JsonKind kind, llvm::StringRef text) {
  tape.entries.push_back({kind, boolValue, numberValue, tape.entries.size() + 1,
                          tape.text.size(), text.size(), keyBegin, keySize});
  tape.text.append(text.begin(), text.end());
  keySize = 0;
}

bool Events::scalar(JsonKind kind, llvm::StringRef text) {
  if (skipDepth)
    return true;
  if (!openEntries.empty()) {
    if (!skipNext)
      append(kind, text);
    skipNext = false;
    return true;
  }
  JsonAction action = nextAction();
  if (action.kind == JsonAction::Collect) {
    tapePlace = action.place;
    append(kind, text);
    return deliver();
  }
  finishValue();
  // Null stands for an absent member, as in protobuf's mapping.
  if (action.kind == JsonAction::Skip ||
      (kind == JsonKind::Null && !frames.empty()))
    return true;
  append(kind, text);
  return descend(action, kind);
}

bool Events::open(JsonKind kind) {
  if (++depth > kMaxJsonDepth)
    return fail(makeInputError("nested deeper than " +
                               llvm::Twine(kMaxJsonDepth) + " levels"));
  if (skipDepth || skipNext) {
    ++skipDepth;
    skipNext = false;
    return true;
  }
  if (!openEntries.empty()) {
    openEntries.push_back(tape.entries.size());
    append(kind, {});
    return true;
  }
  JsonAction action = nextAction();
  if (action.kind == JsonAction::Skip) {
    skipDepth = 1;
    return true;
  }
  if (action.kind == JsonAction::Collect) {
    tapePlace = action.place;
    openEntries.push_back(0);
    append(kind, {});
    return true;
  }
  return descend(action, kind);
}

bool Events::descend(const JsonAction &action, JsonKind kind) {
  bool isList = action.kind == JsonAction::DescendList;
  if (kind != (isList ? JsonKind::List : JsonKind::Object)) {
    if (tape.entries.empty())
      append(kind, {});
    return fail(wrongValue(path(), isList ? "a list" : "an object",
                           JsonValue(tape, 0)));
  }
  visitor.enter(action.place);
  JsonAction elements = isList ? visitor.element(action.place) : JsonAction();
  frames.push_back({action.place, isList, elements, {}, 0, {}});
  return true;
}

bool Events::close() {
  --depth;
  if (skipDepth) {
    if (--skipDepth == 0 && openEntries.empty())
      finishValue();
    return true;
  }
  if (!openEntries.empty()) {
    tape.entries[openEntries.back()].next = tape.entries.size();
    openEntries.pop_back();
    return !openEntries.empty() || deliver();
  }
  frames.pop_back();
  finishValue();
  return true;
}

bool Events::deliver() {
  Frame &frame = frames.back();
  llvm::Error error =
      visitor.value(tapePlace, frame.key, frame.position, JsonValue(tape, 0));
  if (error)
    return fail(std::move(error));
  tape.entries.clear();
  tape.text.clear();
  finishValue();
  return true;
}

/// "line 2, column 7" of the byte at \p position.
static std::string placeOf(llvm::StringRef text, size_t position) {
  llvm::StringRef before = text.take_front(position);
  size_t line = before.count('\n') + 1;
  size_t column = before.size() - (before.rfind('\n') + 1) + 1;
  return ("line " + llvm::Twine(line) + ", column " + llvm::Twine(column))
      .str();
}

bool Events::parse_error(size_t position, const std::string &,
                         const nlohmann::detail::exception &e) {
  // The position counts what was read, and is one past what is at fault.
  llvm::StringRef before =
      buffer.getBuffer().drop_back(!buffer.getBuffer().empty());
  BlankSkipper at(buffer.getBufferStart(), buffer.getBufferEnd());
  for (size_t i = 1; i < position && at.where() < before.end(); ++i)
    ++at;
  before = before.take_front(at.where() - before.begin());
  // "[json.exception.parse_error.101] parse error at line 1, column 2: text"
  llvm::StringRef text = e.what();
  text = text.substr(text.find("] ") + 2);
  if (text.consume_front("parse error"))
    text = text.substr(text.find(": ") + 2);
  constexpr size_t longest = 200;
  std::string shown = fixUtf8(text.take_front(longest));
  if (text.size() > longest)
    shown += "...";
  return fail(makeInputError(placeOf(before, before.size()) + ": " + shown));
}

llvm::Error parseJson(llvm::MemoryBufferRef buffer, JsonVisitor &visitor) {
  Events events(buffer, visitor);
  const char *end = buffer.getBufferEnd();
  nlohmann::json::sax_parse(BlankSkipper(buffer.getBufferStart(), end),
                            BlankSkipper(end, end), &events);
  if (llvm::Error e = events.takeError())
    return inInput(buffer.getBufferIdentifier(), std::move(e));
  // The library takes a zero byte for the end of the text.
  llvm::StringRef text = buffer.getBuffer();
  size_t zero = text.find('\0');
  if (zero != llvm::StringRef::npos)
    return inFile(buffer.getBufferIdentifier(),
                  makeInputError(placeOf(text, zero) + ": a zero byte"));
  return llvm::Error::success();
}

} // namespace reprise
