// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looking at collected JSON values: members, typed readers, messages.

#include "reprise/graph/Error.h"
#include "reprise/io/Json.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

#include <cmath>
#include <optional>

namespace reprise {

JsonValue JsonValue::member(llvm::StringRef name) const {
  if (isObject())
    for (JsonValue child : *this)
      if (child.key() == name)
        return child;
  return JsonValue();
}

JsonValue JsonValue::member(llvm::StringRef camel,
                            llvm::StringRef snake) const {
  JsonValue found = member(camel);
  return found.kind() == JsonKind::Absent ? member(snake) : found;
}

std::string JsonValue::duplicateKey() const {
  if (!isObject())
    return "";
  // Most objects have a handful of members: comparing all pairs is cheapest.
  constexpr size_t few = 16;
  llvm::StringRef seen[few];
  llvm::StringSet<> many;
  size_t count = 0;
  for (JsonValue child : *this) {
    llvm::StringRef key = child.key();
    for (size_t i = 0; i < std::min(count, few); ++i)
      if (seen[i] == key)
        return key.str();
    if (count < few)
      seen[count] = key;
    else if (!many.insert(key).second)
      return key.str();
    ++count;
  }
  return "";
}

std::string onOneLine(llvm::StringRef text) {
  std::string line;
  for (char c : text) {
    if (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f) {
      line += c;
      continue;
    }
    line += "\\x";
    line += llvm::hexdigit(static_cast<unsigned char>(c) >> 4, true);
    line += llvm::hexdigit(c & 15, true);
  }
  return line;
}

/// At most \p count bytes of \p text, not cut inside a UTF-8 character.
static std::string shortened(llvm::StringRef text, size_t count) {
  if (text.size() <= count)
    return text.str();
  while (count > 0 && (static_cast<unsigned char>(text[count]) & 0xc0) == 0x80)
    --count;
  return text.take_front(count).str() + "...";
}

std::string JsonValue::describe() const {
  constexpr size_t longest = 60;
  switch (kind()) {
  case JsonKind::Absent:
    return "nothing";
  case JsonKind::Null:
    return "null";
  case JsonKind::Bool:
    return boolean() ? "true" : "false";
  case JsonKind::Number:
    return shortened(text(), longest);
  case JsonKind::String:
    return llvm::Twine("\"")
        .concat(shortened(text(), longest))
        .concat("\"")
        .str();
  case JsonKind::List:
    return "a list";
  case JsonKind::Object:
    return "an object";
  }
  return "";
}

llvm::Error wrongValue(llvm::StringRef field, llvm::StringRef expected,
                       JsonValue value) {
  return makeInputError(field + ": expected " + expected + ", got " +
                        value.describe());
}

llvm::Error inPlace(const llvm::Twine &where, llvm::Error error) {
  return llvm::handleErrors(
      std::move(error), [&](const InputError &inner) -> llvm::Error {
        return makeInputError(where + ": " + inner.getText());
      });
}

llvm::Error inInput(llvm::StringRef file, llvm::Error error) {
  return inFile(
      file, llvm::handleErrors(
                std::move(error), [](const InputError &inner) -> llvm::Error {
                  return makeInputError(onOneLine(inner.getText()));
                }));
}

/// Takes the leading digits off \p text.
static llvm::StringRef takeDigits(llvm::StringRef &text) {
  llvm::StringRef digits = text.take_while(llvm::isDigit);
  text = text.drop_front(digits.size());
  return digits;
}

/// The value of a JSON number, where it is exactly an integer in 0 .. 2^63-1.
/// Works on the digits: a double would round 9007199254740993.0.
static std::optional<int64_t> exactInteger(llvm::StringRef text) {
  bool negative = text.consume_front("-");
  std::string digits = takeDigits(text).str();
  int64_t scale = 0; // the value is digits * 10^scale
  if (text.consume_front(".")) {
    llvm::StringRef fraction = takeDigits(text);
    digits += fraction;
    scale -= static_cast<int64_t>(fraction.size());
  }
  if (text.consume_front("e") || text.consume_front("E")) {
    bool down = text.consume_front("-");
    text.consume_front("+");
    int64_t exponent = 0;
    constexpr int64_t beyondAny = int64_t(1) << 40;
    for (char c : text)
      exponent = std::min(beyondAny, exponent * 10 + (c - '0'));
    scale += down ? -exponent : exponent;
  }
  llvm::StringRef shown = llvm::StringRef(digits).ltrim('0');
  llvm::StringRef significant = shown.rtrim('0');
  if (significant.empty())
    return 0;
  scale += static_cast<int64_t>(shown.size() - significant.size());
  constexpr int64_t mostDigits = 19; // of 2^63-1
  if (negative || scale < 0 || scale > mostDigits ||
      static_cast<int64_t>(significant.size()) + scale > mostDigits)
    return std::nullopt;
  uint64_t value = 0; // below 10^19, which fits in 64 bits without the sign
  for (char c : significant)
    value = value * 10 + static_cast<uint64_t>(c - '0');
  for (int64_t i = 0; i < scale; ++i)
    value *= 10;
  if (value > static_cast<uint64_t>(INT64_MAX))
    return std::nullopt;
  return static_cast<int64_t>(value);
}

llvm::Expected<int64_t> readInteger(JsonValue value, llvm::StringRef field) {
  bool candidate = value.kind() == JsonKind::Number;
  if (value.isString())
    candidate =
        !value.text().empty() && llvm::all_of(value.text(), llvm::isDigit);
  if (candidate)
    if (std::optional<int64_t> exact = exactInteger(value.text()))
      return *exact;
  return wrongValue(field, "an integer in 0 .. 2^63-1", value);
}

llvm::Expected<double> readNumber(JsonValue value, llvm::StringRef field) {
  if (value.kind() == JsonKind::Number && std::isfinite(value.number()) &&
      value.number() >= 0)
    return value.number();
  return wrongValue(field, "a finite number >= 0", value);
}

llvm::Expected<llvm::StringRef> readString(JsonValue value,
                                           llvm::StringRef field) {
  if (value.isString())
    return value.text();
  return wrongValue(field, "a string", value);
}

llvm::Error readStrings(JsonValue value, llvm::StringRef field,
                        std::vector<llvm::StringRef> &strings) {
  if (value.kind() == JsonKind::Absent)
    return llvm::Error::success();
  if (!value.isList())
    return wrongValue(field, "a list of strings", value);
  for (JsonValue element : value) {
    if (!element.isString())
      return wrongValue(field, "a list of strings", element);
    strings.push_back(element.text());
  }
  return llvm::Error::success();
}

} // namespace reprise
