#include "serval/online/online_report.h"

#include <array>
#include <numeric>

#include <fmt/format.h>

namespace serval::online {
namespace {

constexpr std::array<std::string_view, kDependencyCount> kDependencies{"ww", "wr", "rw", "so"};

std::uint64_t sum(const std::array<std::uint64_t, kDependencyCount>& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

void write_time(JsonWriter& json, Time time) {
  time == kUnknownBegin || time == kUnknownEnd ? json.null() : json.number(time);
}

void write_session(JsonWriter& json, const CitedRecord& record) {
  if (record.session_label.empty())
    json.number(std::uint64_t{record.session});
  else if (record.session_label_is_number)
    json.number(static_cast<std::int64_t>(std::stoll(record.session_label)));
  else
    json.text(record.session_label);
}

void write_derivation(JsonWriter& json, const Derivation& derivation) {
  json.begin_object().key("conclusion").text(derivation.conclusion).key("records").begin_array();
  for (const CitedRecord& record : derivation.records) {
    json.begin_object().key("transaction").number(record.transaction).key("session");
    write_session(json, record);
    json.key("action").text(record.action).key("at").begin_array();
    write_time(json, record.time.begin);
    write_time(json, record.time.end);
    json.end().end();
  }
  json.end().end();
}

std::string indented(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    out += "  " + text.substr(at, end - at) + "\n";
    at = end + 1;
  }
  return out;
}

}  // namespace

double uncertain_share(const OnlineStatistics& statistics) {
  const std::uint64_t uncertain = sum(statistics.uncertain), all = uncertain + sum(statistics.deduced);
  return all == 0 ? 0 : static_cast<double>(uncertain) / static_cast<double>(all);
}

std::string text_of(const OnlineResult& result) {
  const OnlineStatistics& counted = result.statistics;
  std::string out;
  for (const Violation& violation : result.violations) out += indented(violation.format());
  const std::uint64_t all = counted.violations_in_all();
  if (all > result.violations.size())
    out += fmt::format("  ... and {} more\n", all - result.violations.size());
  out += fmt::format("  {} operations, {} committed, {} aborted, {} indeterminate\n", counted.operations,
                     counted.committed, counted.aborted, counted.indeterminate);
  out += fmt::format("  reads      {} checked, {} without a promise\n", counted.reads_checked,
                     counted.reads_unchecked);
  out += sum(counted.deduced) + sum(counted.uncertain) > 0 ? "  deduced   " : "  deduced    nothing";
  for (std::size_t i = 0; i < kDependencyCount; ++i)
    if (counted.deduced[i] + counted.uncertain[i] > 0)
      out +=
          fmt::format(" {} {}{}", counted.deduced[i], kDependencies[i], i + 1 < kDependencyCount ? "," : "");
  if (out.back() == ',') out.pop_back();
  out += fmt::format("; uncertain {} ({:.2e})\n", sum(counted.uncertain), uncertain_share(counted));
  return out;
}

void write_json(JsonWriter& json, const Violation& violation) {
  json.begin_object().key("mechanism").text(name_of(violation.mechanism));
  json.key("type").text(serval::name_of(violation.kind)).key("key").text(violation.key);
  json.key("txns").begin_array();
  for (const std::uint64_t transaction : violation.transactions) json.number(transaction);
  json.end().key("first");
  write_derivation(json, violation.first);
  json.key("second");
  write_derivation(json, violation.second);
  json.end();
}

void write_json(JsonWriter& json, const OnlineResult& result) {
  const OnlineStatistics& counted = result.statistics;
  json.key("violations").begin_object().key("total").number(counted.violations_in_all());
  json.key("by_mechanism").begin_object();
  for (std::size_t i = 0; i < kMechanismCount; ++i)
    json.key(name_of(static_cast<Mechanism>(i))).number(counted.violations[i]);
  json.end().key("shown").begin_array();
  for (const Violation& violation : result.violations) write_json(json, violation);
  json.end().end().key("counts").begin_object();
  json.key("records").number(counted.records).key("operations").number(counted.operations);
  json.key("committed").number(counted.committed).key("aborted").number(counted.aborted);
  json.key("indeterminate").number(counted.indeterminate).key("reads_checked").number(counted.reads_checked);
  json.key("reads_unchecked").number(counted.reads_unchecked).end();
  json.key("dependencies").begin_object();
  for (std::size_t i = 0; i < kDependencyCount; ++i) {
    json.key(kDependencies[i]).begin_object().key("deduced").number(counted.deduced[i]);
    json.key("uncertain").number(counted.uncertain[i]).end();
  }
  json.key("uncertain_share").number(uncertain_share(counted)).end().key("hints").begin_object();
  json.key("consecutive_anti_dependencies").number(counted.hints.consecutive_anti_dependencies);
  json.key("dangerous_structures").number(counted.hints.dangerous_structures);
  json.key("against_commit_order").number(counted.hints.against_commit_order).end();
  json.key("held").begin_object().key("keys").number(counted.keys).key("versions").number(counted.versions);
  json.key("locks").number(counted.locks).key("vertices").number(counted.vertices);
  json.key("edges").number(counted.edges).key("open").number(counted.open_transactions).end();
}

}  // namespace serval::online
