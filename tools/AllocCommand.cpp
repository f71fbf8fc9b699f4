// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/graph/Error.h"
#include "reprise/io/BufferTable.h"
#include "reprise/io/ByteSize.h"
#include "reprise/io/OutputFile.h"
#include "reprise/tools/Commands.h"
#include "reprise/tools/Console.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

#include <chrono>

namespace reprise {

namespace {

/// The arguments of `reprise alloc`, as written.
struct AllocCommandOptions {
  std::string path = "-"; ///< "-": standard input
  std::string capacity;   ///< see parseByteSize(); empty: none
  std::string outputPath = "-";
  uint64_t effort = 20'000; ///< millions of elementary operations
  bool json = false;        ///< summary as JSON
};

/// What people and programs are told.
struct AllocSummary {
  size_t buffers;
  int64_t capacityBytes; ///< 0: none
  const ArenaLayout &layout;
  double seconds; ///< wall clock

  bool fits() const {
    return capacityBytes == 0 || layout.bytes <= capacityBytes;
  }
};

} // namespace

static llvm::Expected<int64_t> chooseCapacity(llvm::StringRef text) {
  if (text.empty())
    return 0;
  llvm::Expected<ByteSize> size = parseByteSize(text);
  if (!size)
    return prefixError("--capacity: ", size.takeError());
  if (size->isShare() || size->resolve(0) == 0)
    return makeInputError("--capacity: expected more than 0 bytes, got '" +
                          text + "'");
  return size->resolve(0);
}

static void writeText(const AllocSummary &summary) {
  const ArenaLayout &layout = summary.layout;
  llvm::raw_ostream &os = llvm::errs();
  os << "buffers      " << summary.buffers << '\n';
  if (summary.capacityBytes > 0)
    os << "capacity     " << formatBytes(summary.capacityBytes) << '\n';
  os << "size         " << formatBytes(layout.bytes);
  if (layout.bytes <= layout.lowerBoundBytes)
    os << ", the least possible\n";
  else
    os << ", at most "
       << formatExcess(static_cast<double>(layout.bytes),
                       static_cast<double>(layout.lowerBoundBytes))
              .substr(1)
       << " above the least possible\n";
  os << llvm::formatv("time         {0:f2} s\n", summary.seconds);
}

static void writeJson(llvm::raw_ostream &os, const AllocSummary &summary) {
  llvm::json::OStream json(os, 2);
  json.object([&] {
    json.attribute("buffers", int64_t(summary.buffers));
    if (summary.capacityBytes > 0)
      json.attribute("capacity", summary.capacityBytes);
    else
      json.attribute("capacity", nullptr);
    json.attribute("feasible", summary.fits());
    json.attribute("size", summary.layout.bytes);
    json.attribute("live_memory", summary.layout.liveBytes);
    json.attribute("lower_bound", summary.layout.lowerBoundBytes);
    json.attribute("seconds", summary.seconds);
  });
  os << '\n';
}

static void refuse(const AllocSummary &summary, bool interrupted) {
  const ArenaLayout &layout = summary.layout;
  std::string capacity = std::to_string(summary.capacityBytes);
  std::string text =
      layout.lowerBoundBytes > summary.capacityBytes
          ? "no layout fits " + capacity + " bytes: any takes " +
                std::to_string(layout.lowerBoundBytes)
          : "no layout was found that fits " + capacity + " bytes";
  printError(text + "; the smallest found takes " +
             std::to_string(layout.bytes));
  if (interrupted)
    printNote("interrupted: a longer search might have found a layout");
}

/// Places the buffers of a file and writes them with their offsets. Returns
/// the exit code.
static llvm::Expected<int> runAlloc(const AllocCommandOptions &options) {
  llvm::Expected<int64_t> capacity = chooseCapacity(options.capacity);
  if (!capacity)
    return capacity.takeError();
  llvm::Expected<BufferTable> table = readBufferTable(options.path);
  if (!table)
    return table.takeError();
  if (llvm::Error e = checkWritable(options.outputPath))
    return e;

  InterruptGuard interrupt;
  auto start = std::chrono::steady_clock::now();
  ArenaLayout layout = [&] {
    Progress progress("reprise: placing buffers");
    return layOutArena(table->buffers, {.capacityBytes = *capacity,
                                        .work = options.effort * 1'000'000,
                                        .stop = &interrupt.flag()});
  }();
  std::chrono::duration<double> elapsed =
      std::chrono::steady_clock::now() - start;

  AllocSummary summary{table->buffers.size(), *capacity, layout,
                       elapsed.count()};
  if (options.json)
    writeJson(options.outputPath == "-" || !summary.fits()
                  ? llvm::errs()
                  : static_cast<llvm::raw_ostream &>(llvm::outs()),
              summary);
  if (!summary.fits()) {
    refuse(summary, interrupt.flag());
    return interrupt.flag() ? kExitInterrupted : kExitNo;
  }
  if (llvm::Error e = writeOutput(options.outputPath,
                                  writeBufferTable(*table, layout.offsets)))
    return e;
  if (!options.json)
    writeText(summary);
  if (llvm::Error e = finishOutput())
    return e;
  return interrupt.flag() ? kExitInterrupted : kExitYes;
}

void addAllocCommand(CLI::App &app, Command &chosen) {
  CLI::App &command = *app.add_subcommand(
      "alloc", "Place buffers with known lifetimes in one block of memory");
  auto options = std::make_shared<AllocCommandOptions>();
  command
      .add_option("FILE", options->path,
                  "Buffers: a CSV file with the columns id, lower, upper, "
                  "size; - is the standard input")
      ->type_name("")
      ->capture_default_str();
  command
      .add_option("-c,--capacity", options->capacity,
                  "Bytes that there are; default: as few as can be")
      ->type_name("SIZE");
  command
      .add_option("-o,--output", options->outputPath,
                  "The same buffers with their offsets; - is the standard "
                  "output")
      ->type_name("FILE")
      ->capture_default_str();
  command
      .add_option("--effort", options->effort,
                  "Most work of the search, in millions of elementary "
                  "operations")
      ->type_name("N")
      ->check(CLI::Range(uint64_t(0), uint64_t(1) << 40))
      ->capture_default_str();
  command.add_flag("--json", options->json,
                   "Summary as JSON: on the standard output with -o FILE, "
                   "else on the standard error");
  command.callback([&chosen, options] {
    chosen = [options] { return runAlloc(*options); };
  });
}

} // namespace reprise
