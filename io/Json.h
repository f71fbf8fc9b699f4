// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reading JSON, private to io/. A document is never held as a whole: the
// parser walks through the outer objects and lists, and hands over one small
// value at a time (a node, a step), whose memory the next value uses again.
//
//   {"graph": {"node": [ {...}, {...} ], ...}}
//    descend   descend   collect, deliver, forget
//
// The JSON library behind it is known to Json.cpp alone.

#ifndef REPRISE_IO_JSON_H
#define REPRISE_IO_JSON_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cstdint>
#include <string>
#include <vector>

namespace reprise {

/// The deepest nesting of lists and objects that is read.
inline constexpr size_t kMaxJsonDepth = 256;

enum class JsonKind : uint8_t {
  Absent, ///< no such member
  Null,
  Bool,
  Number,
  String,
  List,
  Object
};

/// The storage of one collected value: its parts in the order of the text.
struct JsonTape {
  struct Entry {
    JsonKind kind;
    bool boolean;
    double number;
    size_t next; ///< index of the entry after this one and all inside it
    size_t textBegin, textSize; ///< a string's value, a number as written
    size_t keyBegin, keySize;
  };
  std::vector<Entry> entries;
  std::string text;
};

/// A view of one value on a tape; valid until the callback that got it ends.
class JsonValue {
public:
  JsonValue() = default;
  JsonValue(const JsonTape &tape, size_t index) : tape(&tape), index(index) {}

  JsonKind kind() const {
    return tape ? tape->entries[index].kind : JsonKind::Absent;
  }
  /// Neither absent nor null.
  bool isPresent() const { return kind() > JsonKind::Null; }
  bool isString() const { return kind() == JsonKind::String; }
  bool isList() const { return kind() == JsonKind::List; }
  bool isObject() const { return kind() == JsonKind::Object; }
  bool boolean() const { return tape->entries[index].boolean; }
  double number() const { return tape->entries[index].number; }
  /// A string's value, or a number as the file spells it.
  llvm::StringRef text() const {
    const JsonTape::Entry &e = tape->entries[index];
    return llvm::StringRef(tape->text).substr(e.textBegin, e.textSize);
  }
  /// The name of this value in its object; empty in a list.
  llvm::StringRef key() const {
    const JsonTape::Entry &e = tape->entries[index];
    return llvm::StringRef(tape->text).substr(e.keyBegin, e.keySize);
  }
  /// The member \p name of an object; Absent where there is none.
  JsonValue member(llvm::StringRef name) const;
  /// The member \p camel, else the member \p snake.
  JsonValue member(llvm::StringRef camel, llvm::StringRef snake) const;
  /// A key that the object has twice, or an empty string.
  std::string duplicateKey() const;
  /// For messages: `a list`, `true`, `"text"`, `-4`; never long.
  std::string describe() const;

  /// The elements of a list, or the members of an object.
  class Iterator {
  public:
    Iterator(const JsonTape *tape, size_t index) : tape(tape), index(index) {}
    JsonValue operator*() const { return JsonValue(*tape, index); }
    Iterator &operator++() {
      index = tape->entries[index].next;
      return *this;
    }
    bool operator!=(const Iterator &o) const { return index != o.index; }

  private:
    const JsonTape *tape;
    size_t index;
  };
  Iterator begin() const { return {tape, tape ? index + 1 : 0}; }
  Iterator end() const { return {tape, tape ? tape->entries[index].next : 0}; }

private:
  const JsonTape *tape = nullptr;
  size_t index = 0;
};

/// What to do with a value that the parser meets.
struct JsonAction {
  enum Kind : uint8_t {
    Skip,          ///< read past it
    Collect,       ///< hand it over as a whole
    DescendObject, ///< it must be an object: ask about each member
    DescendList    ///< it must be a list: ask about its elements
  };
  Kind kind = Skip;
  int place = 0; ///< the visitor's own number of this place
};

/// Says which parts of a document to read, and gets them. The document itself
/// is the object at place 0.
class JsonVisitor {
public:
  virtual ~JsonVisitor();
  /// The member \p key of the object at \p place. A key that comes twice in
  /// such an object is an error.
  virtual JsonAction member(int place, llvm::StringRef key) = 0;
  /// The list or object at \p place is there, and begins.
  virtual void enter(int place);
  /// The elements of the list at \p place.
  virtual JsonAction element(int place) = 0;
  /// Is \p key worth keeping in a value that is collected for \p place? It is
  /// inside the value's member \p top, or that member itself (\p top empty).
  virtual bool wants(int place, llvm::StringRef top, llvm::StringRef key);
  /// A collected value, with its key or its position in the list.
  virtual llvm::Error value(int place, llvm::StringRef key, size_t position,
                            JsonValue value) = 0;
};

/// Reads \p buffer through \p visitor. Fails with an InputError that names the
/// buffer: a syntax error with line and column, a value nested too deep, a
/// number beyond double precision's range, or what the visitor returned.
llvm::Error parseJson(llvm::MemoryBufferRef buffer, JsonVisitor &visitor);

// Typed readers. Each fails with "FIELD: expected ..., got ...".

/// An integer in 0 .. 2^63-1, as a number (4, 4.0, 1e3) or as the decimal
/// string that protobuf writes for 64 bits ("4").
llvm::Expected<int64_t> readInteger(JsonValue value, llvm::StringRef field);
/// A finite number >= 0.
llvm::Expected<double> readNumber(JsonValue value, llvm::StringRef field);
llvm::Expected<llvm::StringRef> readString(JsonValue value,
                                           llvm::StringRef field);
/// Strings of a list, appended to \p strings; nothing where it is absent.
llvm::Error readStrings(JsonValue value, llvm::StringRef field,
                        std::vector<llvm::StringRef> &strings);
/// An InputError "FIELD: expected EXPECTED, got VALUE".
llvm::Error wrongValue(llvm::StringRef field, llvm::StringRef expected,
                       JsonValue value);
/// Puts \p where and ": " in front of the text of \p error.
llvm::Error inPlace(const llvm::Twine &where, llvm::Error error);
/// \p text with control characters escaped, so that it stays on one line.
std::string onOneLine(llvm::StringRef text);
/// Puts \p file in front of \p error and escapes control characters in its
/// text (names may hold any), so that it stays on one line.
llvm::Error inInput(llvm::StringRef file, llvm::Error error);

} // namespace reprise

#endif // REPRISE_IO_JSON_H
