#pragma once
// The table of all file formats, and functions to read and write them.
//
//   History history = read_history("run.jsonl");                            // format detected by content
//   write_history(history, Format::PolysiText, "run.txt", {});              // reports every lossy step
//
// Readers stream: they hold the columns they build and one chunk of text, never the whole file. Bad input
// throws InputError with file, line, column and the offending line.

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "serval/base/budget.h"
#include "serval/base/byte_stream.h"
#include "serval/history/history.h"

namespace serval {

enum class Format {
  Jsonl,         // native, one line per operation or transaction
  Binary,        // native, chunked columns
  Notation,      // native, "s1: [w(x,1)]"
  PolysiText,    // r(key,value,session,txn): PolySI, Plume, MTC, IsoVista, AWDIT
  JepsenEdn,     // Jepsen and Elle, rw-register and list-append
  JepsenJson,    // the same as one JSON array
  JepsenJsonl,   // the same, one JSON object per line
  JepsenText,    // the same as columns of history.txt, or in a log of jepsen.util
  AwditText,     // r k v, --- between transactions, === between sessions
  DbcopHist,     // [x:=1 y==2]!, --- between sessions
  DbcopBincode,  // dbcop's history.bincode, 2019
  DbcopJson,     // dbcop 0.2
  DbcopYaml,     // dbcop, 2019
  CobraLog,      // a folder of binary logs, one per session: Cobra, King Cobra, PolySI, VeriStrong
  LeopardJson,   // Leopard's traces, a JSON array per client; read only
};

using Notice = std::function<void(const std::string&)>;
// Takes the next piece of a file that is written; of a folder, the name and the bytes of a whole file.
using ByteOutput = std::function<void(std::string_view)>;
using FileOutput = std::function<void(const std::string& name, std::string_view bytes)>;

struct ReadOptions {
  std::optional<Format> format;   // None: detected by content.
  bool accept_truncated = false;  // A text file cut off in mid-line ends there. Native formats always may be.
  Budget* budget = nullptr;       // Polled while reading.
  // Called for everything that a reader skipped or repaired. Errors are thrown instead.
  Notice on_notice;
  std::function<void()> on_cut_off;  // Called if the end of a native file is missing.
  // Called if the times of the history are positions in its file, which are not durations.
  std::function<void()> on_positions;
  // Called from time to time with the bytes read and the size (0: unknown).
  std::function<void(std::uint64_t done, std::uint64_t total)> on_progress;
  std::function<void(const struct FormatInfo&)> on_format;  // Called before reading.
};

// For a format that is a folder of files.
struct FolderVerbs {
  bool (*looks_like)(const std::string& folder);
  History (*read)(const std::string& folder, const ReadOptions& options);
  void (*write)(const History& history, const FileOutput& file, const Notice& lossy);  // Null: not written.
};

struct FormatInfo {
  Format format;
  std::string_view name;         // The name for --format: "polysi", "edn", ...
  std::string_view extension;    // With the dot; write_history to a path picks by it.
  std::string_view description;  // One line.
  std::string_view page;         // docs/formats/<page>
  // Whether `start` (at most the first 64 KiB, decompressed) looks like this format. Rows are tried in
  // order.
  bool (*looks_like)(std::string_view start);
  History (*read)(ByteStream& stream, const ReadOptions& options);
  // Appends the whole history to `out` in pieces; calls `lossy` once for every kind of loss. Null: the
  // format can only be read.
  void (*write)(const History& history, const ByteOutput& out, const Notice& lossy);
  const FolderVerbs* folder = nullptr;   // Then `read` and `write` handle a single file of it.
  std::string_view file_in_folder = {};  // The file of a history that is written to a folder.
};

std::span<const FormatInfo> all_formats();
const FormatInfo& info(Format format);
std::optional<Format> format_named(std::string_view name);
std::optional<Format> format_for_path(std::string_view path);  // By extension, ignoring .gz and .zst.
// Null if nothing fits.
const FormatInfo* detect_format(std::string_view start);
// The format in `options`, else by content. Throws InputError for an empty file and for unknown content.
const FormatInfo& format_of(ByteStream& stream, const ReadOptions& options);

History read_history(ByteStream& stream, const ReadOptions& options = {});
// The path may be a folder: of a format with FolderVerbs, with history.bincode, history.edn or another
// file `history.*`, or with such a subfolder named `history`.
History read_history(const std::string& path, const ReadOptions& options = {});

struct WriteReport {
  std::vector<std::string> lossy_steps;  // "dropped the times of 12 transactions: polysi has none"
};
// Writes to `path` ("-": standard output), compressed for .gz and .zst. The format must be writable.
// Creates a folder if the format is one; it must not exist or must be empty. Throws OutputError.
WriteReport write_history(const History& history, Format format, const std::string& path);
// Also throws BudgetExhausted, and then leaves no file behind.
WriteReport write_history(const History& history, Format format, const std::string& path, Budget& budget);
// What writing would lose.
WriteReport losses_of_writing(const History& history, Format format);
// The same into a string, uncompressed. Throws OutputError if a folder of several files is needed.
std::string write_to_string(const History& history, Format format, WriteReport* report = nullptr);

}  // namespace serval
