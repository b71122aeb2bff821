#include "serval/formats/format.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "serval/base/byte_sink.h"
#include "serval/base/contract.h"
#include "serval/base/error.h"
#include "serval/formats/characters.h"
#include "serval/formats/cobra/cobra_log.h"
#include "serval/formats/cut_off_reads.h"
#include "serval/formats/dbcop/dbcop.h"
#include "serval/formats/history_folder.h"
#include "serval/formats/jepsen/jepsen.h"
#include "serval/formats/leopard/leopard_json.h"
#include "serval/formats/native/native_binary.h"
#include "serval/formats/native/native_jsonl.h"
#include "serval/formats/text/text_formats.h"

namespace serval {
namespace {

constexpr std::size_t kPeek = 1 << 16;

constexpr FolderVerbs kLeopardFolder{is_leopard_folder, read_leopard_folder, nullptr};
constexpr FolderVerbs kCobraFolder{is_cobra_folder, read_cobra_folder, write_cobra_folder};

// Tried in this order for content, and for paths if two formats share an extension.
constexpr std::array kFormats{
    FormatInfo{Format::DbcopJson, "dbcop-json", ".dbcop.json",
               "dbcop's JSON, sessions of transactions of events", "dbcop.md", looks_like_dbcop_json,
               read_dbcop_json, write_dbcop_json},
    FormatInfo{Format::LeopardJson, "leopard-json", ".leopard.json",
               "Leopard's traces, a JSON array of operations per client; read only", "leopard.md",
               looks_like_leopard, read_leopard, nullptr, &kLeopardFolder},
    FormatInfo{Format::JepsenJsonl, "jepsen-jsonl", ".jepsen.jsonl",
               "Jepsen and Elle histories, one JSON object per line", "jepsen-json.md",
               looks_like_jepsen_jsonl, read_jepsen_json, write_jepsen_jsonl},
    FormatInfo{Format::JepsenJson, "json", ".json", "Jepsen and Elle histories as one JSON array",
               "jepsen-json.md", looks_like_jepsen_json, read_jepsen_json, write_jepsen_json},
    FormatInfo{Format::JepsenEdn, "edn", ".edn",
               "Jepsen and Elle histories in EDN, rw-register and list-append", "jepsen-edn.md",
               looks_like_jepsen_edn, read_jepsen_edn, write_jepsen_edn},
    FormatInfo{Format::JepsenText, "jepsen-text", ".jepsen.txt",
               "process, :type, :f and value per line: history.txt, logs of jepsen.util", "jepsen-text.md",
               looks_like_jepsen_text, read_jepsen_text, write_jepsen_text},
    FormatInfo{Format::Jsonl, "jsonl", ".jsonl",
               "Serval's own JSON lines: a header, then one transaction per line", "jsonl.md",
               looks_like_jsonl, read_jsonl, write_jsonl},
    FormatInfo{Format::Binary, "binary", ".srv",
               "Serval's own compressed columns: fast to load, safe to cut off", "binary.md",
               looks_like_binary, read_binary, write_binary},
    FormatInfo{Format::PolysiText, "polysi", ".txt",
               "r(key,value,session,txn), as PolySI, Plume, MTC and IsoVista", "polysi.md", looks_like_polysi,
               read_polysi, write_polysi},
    FormatInfo{Format::AwditText, "awdit", ".awdit",
               "r key value, --- between transactions, === between sessions", "awdit.md", looks_like_awdit,
               read_awdit, write_awdit},
    FormatInfo{Format::DbcopHist, "dbcop-hist", ".hist", "[x:=1 y==2]!, --- between sessions, as dbcop",
               "dbcop-hist.md", looks_like_dbcop_hist, read_dbcop_hist, write_dbcop_hist},
    FormatInfo{Format::DbcopBincode, "dbcop", ".bincode", "dbcop's history.bincode, as PolySI and VeriStrong",
               "dbcop.md", looks_like_dbcop_bincode, read_dbcop_bincode, write_dbcop_bincode, nullptr,
               "history.bincode"},
    FormatInfo{Format::DbcopYaml, "dbcop-yaml", ".yaml", "dbcop's YAML of 2019", "dbcop.md",
               looks_like_dbcop_yaml, read_dbcop_yaml, write_dbcop_yaml},
    FormatInfo{Format::CobraLog, "cobra", ".cobra",
               "a folder of *.log, one per session, as Cobra, King Cobra and PolySI", "cobra.md",
               looks_like_cobra, read_cobra, write_cobra, &kCobraFolder},
    FormatInfo{Format::Notation, "notation", ".notation", "Serval's short notation, s1: [w(x,1) r(y,0)]",
               "notation.md", looks_like_notation, read_notation, write_notation},
};

std::string_view without_compression_suffix(std::string_view path) {
  for (const std::string_view suffix : {".gz", ".zst"})
    if (path.ends_with(suffix)) return path.substr(0, path.size() - suffix.size());
  return path;
}

std::string known_formats() {
  std::string names;
  for (const FormatInfo& row : kFormats) names += (names.empty() ? "" : ", ") + std::string(row.name);
  return names;
}

bool is_printable(std::string_view line) {
  return std::ranges::all_of(line, [](char c) { return static_cast<unsigned char>(c) >= ' ' || c == '\t'; });
}

[[noreturn]] void reject_unknown(const std::string& name, std::string_view start) {
  constexpr std::size_t kShown = 80;
  std::string_view line = start.substr(0, std::min(start.find_first_of("\r\n"), kShown));
  const bool text = !line.empty() && is_printable(line);
  SourcePosition position{name};
  if (text) position.line = position.column = 1;
  throw InputError(std::move(position), "this is not a history in any known format (" + known_formats() + ")",
                   text ? std::string(line) : std::string(),
                   "if it is one of these but damaged at the start, name it with --format");
}

// A guessed format may be wrong, so the error names it.
History read_as(const FormatInfo& format, ByteStream& stream, const ReadOptions& options) {
  try {
    return format.read(stream, options);
  } catch (const UnreadableFile&) {
    throw;
  } catch (const InputError& error) {
    if (options.format || !error.hint().empty()) throw;
    throw InputError(error.position(), error.problem(), error.source_line(),
                     fmt::format("the file was taken for {} ({}); --format chooses another", format.name,
                                 format.description),
                     error.caret());
  }
}

// Only the native formats can store it.
WriteReport report_of(const History& history, Format format) {
  if (info(format).write == nullptr)
    throw OutputError(fmt::format("Serval reads {}, but does not write it", info(format).name));
  WriteReport report;
  if (format != Format::Jsonl && format != Format::Binary && !history.certificate().empty())
    report.lossy_steps.emplace_back("version certificate left out");
  return report;
}

}  // namespace

std::span<const FormatInfo> all_formats() { return kFormats; }

const FormatInfo& info(Format format) {
  const auto found = std::ranges::find(kFormats, format, &FormatInfo::format);
  expects(found != kFormats.end(), "a format of the table");
  return *found;
}

std::optional<Format> format_named(std::string_view name) {
  const auto found = std::ranges::find(kFormats, name, &FormatInfo::name);
  return found == kFormats.end() ? std::nullopt : std::optional(found->format);
}

std::optional<Format> format_for_path(std::string_view path) {
  std::string_view plain = without_compression_suffix(path);
  while (plain.ends_with('/')) plain.remove_suffix(1);
  const auto found =
      std::ranges::find_if(kFormats, [&](const FormatInfo& row) { return plain.ends_with(row.extension); });
  return found == kFormats.end() ? std::nullopt : std::optional(found->format);
}

const FormatInfo* detect_format(std::string_view start) {
  if (start.starts_with(kByteOrderMark)) start.remove_prefix(kByteOrderMark.size());
  const auto found =
      std::ranges::find_if(kFormats, [&](const FormatInfo& row) { return row.looks_like(start); });
  return found == kFormats.end() ? nullptr : &*found;
}

const FormatInfo& format_of(ByteStream& stream, const ReadOptions& options) {
  const std::string_view start = stream.peek(kPeek);
  if (start.empty()) throw InputError({stream.name()}, "the file is empty");
  const FormatInfo* format = options.format ? &info(*options.format) : detect_format(start);
  if (format == nullptr) reject_unknown(stream.name(), start);
  return *format;
}

History read_history(ByteStream& stream, const ReadOptions& options) {
  const FormatInfo& format = format_of(stream, options);
  if (options.on_format) options.on_format(format);
  History history = read_as(format, stream, options);
  if (!options.accept_truncated || !lists_sessions_in_turn(format.format)) return history;
  return without_cut_off_reads(std::move(history), options.on_notice);
}

History read_history(const std::string& path, const ReadOptions& options) {
  if (is_folder(path)) return read_history_folder(path, options);
  ByteStream stream = ByteStream::open(path, options.budget);
  return read_history(stream, options);
}

WriteReport write_history(const History& history, Format format, const std::string& path, Budget& budget) {
  WriteReport report = report_of(history, format);
  const FormatInfo& row = info(format);
  const auto lossy = [&](const std::string& step) { report.lossy_steps.push_back(step); };
  if (row.folder != nullptr && path != "-") {
    write_history_folder(history, *row.folder, path, lossy, budget);
    return report;
  }
  ByteSink sink =
      ByteSink::create(row.file_in_folder.empty() ? path : file_to_write(path, row.file_in_folder));
  std::size_t bytes = 0;
  const auto write = [&](std::string_view piece) {
    budget.look("write");
    bytes += piece.size();
    sink.write(piece);
  };
  row.write(history, write, lossy);
  // No reader accepts an empty file as a history.
  if (bytes == 0) throw OutputError(fmt::format("{} cannot express an empty history", row.name));
  sink.finish();
  return report;
}

WriteReport write_history(const History& history, Format format, const std::string& path) {
  Budget unlimited = Budget::unlimited();
  return write_history(history, format, path, unlimited);
}

WriteReport losses_of_writing(const History& history, Format format) {
  WriteReport report = report_of(history, format);
  const FormatInfo& row = info(format);
  const auto lossy = [&](const std::string& step) { report.lossy_steps.push_back(step); };
  if (row.folder != nullptr) {
    row.folder->write(
        history, [](const std::string&, std::string_view) {}, lossy);
  } else {
    row.write(
        history, [](std::string_view) {}, lossy);
  }
  return report;
}

std::string write_to_string(const History& history, Format format, WriteReport* report) {
  std::string text;
  expects(info(format).write != nullptr, "a format that is written");
  info(format).write(
      history, [&](std::string_view piece) { text += piece; },
      [&](const std::string& step) {
        if (report != nullptr) report->lossy_steps.push_back(step);
      });
  return text;
}

}  // namespace serval
