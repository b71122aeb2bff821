// serval stats: the size and shape of a history.

#include <memory>

#include <fmt/format.h>

#include "exit_code.h"
#include "output.h"
#include "reading.h"
#include "serval/base/json_writer.h"
#include "serval/base/printable.h"
#include "serval/inference/statistics.h"
#include "serval/report/quantity.h"
#include "verb.h"
#include "verb_limits.h"

namespace serval::cli {
namespace {

struct StatsFlags {
  std::string path;
  ReadingFlags reading;
  LimitFlags limits;
  bool json = false;
};

std::string row(std::string_view label, const std::string& text) {
  return fmt::format("  {}{}\n", padded(printable(label), 16), printable(text));
}

std::string spread(const Distribution& numbers) {
  const auto count = [](std::int64_t number) { return format_count(static_cast<std::uint64_t>(number)); };
  return fmt::format("median {}   p99 {}   max {}", count(numbers.median), count(numbers.p99),
                     count(numbers.max));
}

std::string latencies(const Distribution& ns) {
  const auto time = [](std::int64_t number) { return format_seconds(static_cast<double>(number) / 1e9); };
  return fmt::format("p50 {}   p90 {}   p99 {}   p99.9 {}   max {}", time(ns.median), time(ns.p90),
                     time(ns.p99), time(ns.p999), time(ns.max));
}

std::string kinds(const Statistics& numbers) {
  std::string text;
  for (std::size_t i = 0; i < kOperationKinds; ++i)
    if (numbers.by_kind[i] > 0)
      text += fmt::format("{}{} {}", text.empty() ? "" : "   ", format_count(numbers.by_kind[i]),
                          name_of(static_cast<OperationKind>(i)));
  return text;
}

std::string text_of(const std::string& path, const LoadedHistory& loaded, const Statistics& numbers) {
  std::string out = fmt::format("{} ({})\n", printable(path), loaded.format);
  out += row("sessions", fmt::format("{}   txns per session: {}", format_count(numbers.sessions),
                                     spread(numbers.transactions_per_session)));
  out += row("txns", fmt::format("{}   {} committed   {} aborted   {} indeterminate",
                                 format_count(numbers.transactions), format_count(numbers.committed),
                                 format_count(numbers.aborted), format_count(numbers.indeterminate)));
  out += row("ops", fmt::format("{}   {}", format_count(numbers.operations), kinds(numbers)));
  out += row("ops per txn", spread(numbers.operations_per_transaction));
  out += row("keys",
             fmt::format("{}   {} written", format_count(numbers.keys), format_count(numbers.written_keys)));
  out += row("ops per key", spread(numbers.operations_per_key));
  if (!numbers.hottest_key.is_none())
    out += row("hottest key", loaded.history.format_key(numbers.hottest_key));
  if (numbers.latency_ns) out += row("latency", latencies(*numbers.latency_ns));
  if (numbers.span_ns) out += row("span", format_seconds(static_cast<double>(*numbers.span_ns) / 1e9));
  for (const auto& [error, count] : numbers.errors) out += row("error", format_count(count) + "   " + error);
  for (const auto& [name, text] : loaded.history.facts()) out += row(name, text);
  return out;
}

void write_distribution(JsonWriter& json, std::string_view name, const Distribution& numbers) {
  json.key(name).begin_object();
  json.key("min").number(numbers.min).key("median").number(numbers.median).key("p90").number(numbers.p90);
  json.key("p99").number(numbers.p99).key("p999").number(numbers.p999).key("max").number(numbers.max).end();
}

std::string json_of(const std::string& path, const LoadedHistory& loaded, const Statistics& numbers) {
  JsonWriter json;
  json.begin_object().key("schema").text("serval.stats/2").key("path").text(path);
  json.key("format").text(loaded.format);
  json.key("sessions").number(numbers.sessions).key("txns").number(numbers.transactions);
  json.key("committed").number(numbers.committed).key("aborted").number(numbers.aborted);
  json.key("indeterminate").number(numbers.indeterminate).key("ops").number(numbers.operations);
  json.key("ops_by_kind").begin_object();
  for (std::size_t i = 0; i < kOperationKinds; ++i)
    if (numbers.by_kind[i] > 0) json.key(name_of(static_cast<OperationKind>(i))).number(numbers.by_kind[i]);
  json.end().key("keys").number(numbers.keys).key("keys_written").number(numbers.written_keys);
  json.key("hottest_key");
  numbers.hottest_key.is_none() ? json.null() : json.text(loaded.history.format_key(numbers.hottest_key));
  write_distribution(json, "txns_per_session", numbers.transactions_per_session);
  write_distribution(json, "ops_per_txn", numbers.operations_per_transaction);
  write_distribution(json, "ops_per_key", numbers.operations_per_key);
  if (numbers.latency_ns) write_distribution(json, "latency_ns", *numbers.latency_ns);
  if (numbers.span_ns) json.key("span_ns").number(*numbers.span_ns);
  json.key("errors").begin_object();
  for (const auto& [error, count] : numbers.errors) json.key(error).number(count);
  json.end().key("facts").begin_object();
  for (const auto& [name, text] : loaded.history.facts()) json.key(name).text(text);
  return json.end().end().take() + "\n";
}

int show_statistics(const StatsFlags& flags, Budget& budget) {
  const LoadedHistory loaded = load_history(flags.path, flags.reading, budget);
  Statistics numbers = measure(loaded.history);
  if (loaded.has_positions) {  // Positions are not durations.
    numbers.latency_ns.reset();
    numbers.span_ns.reset();
  }
  print(flags.json ? json_of(flags.path, loaded, numbers) : text_of(flags.path, loaded, numbers));
  return kHolds;
}

}  // namespace

Action declare_stats(Arguments& arguments) {
  auto flags = std::make_shared<StatsFlags>();
  arguments.word("FILE", flags->path, "The history; - is standard input");
  declare_reading_flags(arguments, flags->reading);
  declare_limit_flags(arguments, flags->limits);
  arguments.flag("--json", flags->json, "One JSON object instead of text");
  return [flags] {
    return within_limits(flags->limits, [&](Budget& budget) { return show_statistics(*flags, budget); });
  };
}

}  // namespace serval::cli
