// A target for each format, and one that detects the format (compressed files included).

#include "examine.h"
#include "serval/base/error.h"
#include "serval/base/random.h"
#include "serval/formats/cobra/cobra_version_order.h"
#include "serval/formats/format.h"
#include "serval/history/history_builder.h"
#include "target.h"

namespace serval::fuzz {
namespace {

// FNV-1a: the same choice for the same bytes.
std::uint64_t digest(std::string_view bytes) {
  std::uint64_t state = 0xcbf29ce484222325u;
  for (const char c : bytes) state = (state ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return state >> 16;
}

std::optional<History> read(std::string_view bytes, const ReadOptions& options) {
  try {
    ByteStream stream = ByteStream::from_memory("fuzz", std::string(bytes));
    return read_history(stream, options);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

void read_and_examine(std::string_view bytes, std::optional<Format> format) {
  const std::optional<History> history = read(bytes, {.format = format, .on_notice = [](const auto&) {}});
  read(bytes, {.format = format, .accept_truncated = true});
  if (history) examine(*history, digest(bytes));
}

}  // namespace

std::vector<Target> reader_targets() {
  std::vector<Target> targets;
  for (const FormatInfo& row : all_formats())
    targets.push_back({"read-" + std::string(row.name), std::string(row.description),
                       [format = row.format](std::string_view bytes) { read_and_examine(bytes, format); }});
  targets.push_back({"read", "a history in any format, perhaps compressed",
                     [](std::string_view bytes) { read_and_examine(bytes, std::nullopt); }});
  return targets;
}

Target version_order_target() {
  return {"version-order", "King Cobra's version orders, beside three writes", [](std::string_view bytes) {
            HistoryBuilder builder;
            const TransactionId t =
                builder.begin_transaction(builder.session(Value::integer(1)), Value::integer(1));
            for (std::int64_t value = 1; value <= 3; ++value)
              builder.add(t, OperationKind::Write, builder.key(Value::integer(1)), Value::integer(value));
            try {
              ByteStream stream = ByteStream::from_memory("fuzz", std::string(bytes));
              cobra::VersionOrder order = cobra::VersionOrder::read(stream, {});
              for (std::int64_t value = 1; value <= 3; ++value)
                order.note_write(1, value, OperationId{static_cast<std::uint32_t>(value - 1)});
              order.number_writes(builder, [](const std::string&) {});
            } catch (const InputError&) {
              return;
            }
            examine(std::move(builder).freeze(), digest(bytes));
          }};
}

// The bytes are lines that follow these.
Target certificate_target() {
  static constexpr std::string_view kHistory =
      R"({"serval":"history","version":1,"initial":0})"
      "\n"
      R"({"s":1,"t":1,"ops":[["w","x",1],["w","y",1]],"begin":1,"end":9,"server_txn":"11","commit_ts":5})"
      "\n"
      R"({"s":1,"t":2,"ops":[["r","x",1],["w","x",2]],"begin":11,"end":19,"server_txn":"12","commit_ts":15})"
      "\n"
      R"({"s":2,"t":3,"ops":[["r","x",1],["d","y"]],"begin":12,"end":20,"server_txn":"13","commit_ts":16})"
      "\n"
      R"({"s":2,"t":4,"ops":[["w","z",{"a":1}]],"begin":22,"end":30,"outcome":"indeterminate","server_txn":"14"})"
      "\n"
      R"({"s":3,"t":5,"ops":[["w","x",1]],"begin":23,"end":31,"outcome":"aborted","server_txn":"15"})"
      "\n";
  return {"certificate", "lines of a version certificate after a fixed history", [](std::string_view bytes) {
            read_and_examine(std::string(kHistory) + std::string(bytes), Format::Jsonl);
          }};
}

}  // namespace serval::fuzz
