// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/io/BufferTable.h"

#include "reprise/graph/Error.h"
#include "reprise/io/InputFile.h"
#include "reprise/io/Json.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MemoryBuffer.h"

#include <array>

namespace reprise {

namespace {

/// The columns that there have to be.
enum BufferColumn : unsigned { Id, Lower, Upper, Size };
constexpr std::array<llvm::StringLiteral, 4> kColumns = {"id", "lower", "upper",
                                                         "size"};

class BufferTableReader {
public:
  llvm::Error readHeader(llvm::StringRef line);
  llvm::Error readRow(llvm::StringRef line, size_t number);
  BufferTable take() { return std::move(table); }

private:
  llvm::Expected<int64_t> number(BufferColumn column, const llvm::Twine &where);

  BufferTable table;
  std::array<size_t, kColumns.size()> places{};
  size_t width = 0;
  llvm::SmallVector<llvm::StringRef, 8> fields; ///< of the line read last
  llvm::StringSet<> known;
  int64_t totalBytes = 0;
};

} // namespace

static void split(llvm::StringRef line,
                  llvm::SmallVectorImpl<llvm::StringRef> &fields) {
  fields.clear();
  line.split(fields, ',');
  for (llvm::StringRef &field : fields)
    field = field.trim();
}

llvm::Error BufferTableReader::readHeader(llvm::StringRef line) {
  split(line, fields);
  width = fields.size();
  for (size_t c = 0; c < kColumns.size(); ++c) {
    const auto *found = llvm::find(fields, kColumns[c]);
    if (found == fields.end())
      return makeInputError("line 1: expected a header with the columns id, "
                            "lower, upper and size; " +
                            kColumns[c] + " is missing");
    places[c] = found - fields.begin();
  }
  for (size_t i = 0; i < width; ++i) {
    // What this tool wrote can be read again.
    if (fields[i] != "offset" && !llvm::is_contained(kColumns, fields[i]))
      return makeInputError("line 1: column '" + fields[i] +
                            "' is not supported");
    if (llvm::find(fields, fields[i]) != fields.begin() + i)
      return makeInputError("line 1: column '" + fields[i] + "' comes twice");
  }
  return llvm::Error::success();
}

llvm::Expected<int64_t> BufferTableReader::number(BufferColumn column,
                                                  const llvm::Twine &where) {
  llvm::StringRef field = fields[places[column]];
  int64_t value = 0;
  if (field.getAsInteger(10, value))
    return makeInputError(where + ": " + kColumns[column] +
                          ": expected a whole number, got '" + field + "'");
  return value;
}

llvm::Error BufferTableReader::readRow(llvm::StringRef line, size_t number) {
  std::string where = "line " + std::to_string(number);
  split(line, fields);
  if (fields.size() != width)
    return makeInputError(where + ": expected " + llvm::Twine(width) +
                          " values, got " + llvm::Twine(fields.size()));
  llvm::StringRef id = fields[places[Id]];
  if (!known.insert(id).second)
    return makeInputError(where + ": id: '" + id + "' comes twice");
  ArenaBuffer buffer;
  std::pair<BufferColumn, int64_t *> values[] = {
      {Lower, &buffer.lower}, {Upper, &buffer.upper}, {Size, &buffer.bytes}};
  for (auto [column, value] : values) {
    llvm::Expected<int64_t> read = this->number(column, where);
    if (!read)
      return read.takeError();
    *value = *read;
  }
  if (buffer.upper < buffer.lower)
    return makeInputError(where + ": upper: " + llvm::Twine(buffer.upper) +
                          " is before lower, " + llvm::Twine(buffer.lower));
  if (buffer.bytes < 0)
    return makeInputError(where + ": size: expected at least 0, got " +
                          llvm::Twine(buffer.bytes));
  if (__builtin_add_overflow(totalBytes, buffer.bytes, &totalBytes))
    return makeInputError(where +
                          ": size: all sizes together overflow 63 bits");
  table.ids.push_back(id.str());
  table.buffers.push_back(buffer);
  return llvm::Error::success();
}

llvm::Expected<BufferTable> parseBufferTable(llvm::StringRef text) {
  BufferTableReader reader;
  text.consume_front("\xef\xbb\xbf");
  size_t number = 0;
  while (!text.empty() || number == 0) {
    llvm::StringRef line;
    std::tie(line, text) = text.split('\n');
    ++number;
    if (number > 1 && line.trim().empty())
      continue;
    llvm::Error error =
        number == 1 ? reader.readHeader(line) : reader.readRow(line, number);
    if (error)
      return error;
  }
  return reader.take();
}

llvm::Expected<BufferTable> readBufferTable(const std::string &path) {
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> file = openInput(path);
  if (!file)
    return file.takeError();
  llvm::Expected<BufferTable> table = parseBufferTable((*file)->getBuffer());
  if (!table)
    return inFile(path, table.takeError());
  return table;
}

std::string writeBufferTable(const BufferTable &table,
                             llvm::ArrayRef<int64_t> offsets) {
  std::string text = "id,lower,upper,size,offset\n";
  for (size_t i = 0; i < table.ids.size(); ++i) {
    const ArenaBuffer &buffer = table.buffers[i];
    text += table.ids[i];
    for (int64_t value :
         {buffer.lower, buffer.upper, buffer.bytes, offsets[i]}) {
      text += ',';
      text += std::to_string(value);
    }
    text += '\n';
  }
  return text;
}

} // namespace reprise
