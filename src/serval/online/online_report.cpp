#include "serval/online/online_report.h"

#include <array>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "serval/online/profile_file.h"

namespace serval::online {
namespace {

constexpr std::array<std::string_view, kDependencyCount> kDependencies{"ww", "wr", "rw", "so"};

using Counts = std::array<std::uint64_t, kDependencyCount>;

// The kinds before Dependency::Session.
constexpr std::size_t kDataKinds = static_cast<std::size_t>(Dependency::Session);

std::uint64_t sum(const Counts& counts) {
  return std::accumulate(counts.begin(), counts.begin() + kDataKinds, std::uint64_t{0});
}

double share(std::uint64_t part, const OnlineStatistics& statistics) {
  const std::uint64_t all = sum(statistics.deduced) + sum(statistics.uncertain);
  return all == 0 ? 0 : static_cast<double>(part) / static_cast<double>(all);
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
  return share(sum(statistics.uncertain), statistics);
}

double overlapping_share(const OnlineStatistics& statistics) {
  return share(sum(statistics.overlapping), statistics);
}

std::string overlap_words(const OnlineStatistics& statistics) {
  std::string out = fmt::format("{} of {}", sum(statistics.overlapping),
                                sum(statistics.deduced) + sum(statistics.uncertain));
  const char* before = ": ";
  for (std::size_t i = 0; i < kDataKinds; ++i) {
    const std::uint64_t uncertain = statistics.uncertain[i], deduced = statistics.overlapping[i] - uncertain;
    if (statistics.overlapping[i] == 0) continue;
    out += fmt::format("{}{}", std::exchange(before, ", "), kDependencies[i]);
    if (deduced > 0) out += fmt::format(" {} deduced", deduced);
    if (uncertain > 0) out += fmt::format(" {} uncertain", uncertain);
  }
  return out;
}

std::string certifier_words(const OnlineStatistics& statistics) {
  const CertifierHints& hints = statistics.hints;
  const std::uint64_t matches = hints.matches_of(statistics.certifier);
  switch (statistics.certifier) {
    case Certifier::None:
      return "";
    case Certifier::SerializableSnapshot:
      return fmt::format("ssi: {} dangerous structures, {} pivots", matches,
                         hints.consecutive_anti_dependencies);
    case Certifier::TimestampOrder:
      return fmt::format("timestamp-order: {} dependencies against the order of commits", matches);
    case Certifier::Optimistic:
      return fmt::format("occ: {} reads of writers overwritten before their commit", matches);
    case Certifier::Percolator:
      return fmt::format("percolator: {} writes of what had changed since the snapshot", matches);
  }
  return "";
}

std::uint64_t CertifierHints::matches_of(Certifier certifier) const {
  const std::array<std::uint64_t, 5> kMatches{0, dangerous_structures, against_commit_order,
                                              overwritten_reads, concurrent_writes};
  return kMatches[static_cast<std::size_t>(certifier)];
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
  const std::uint64_t pairs = sum(counted.deduced) + sum(counted.uncertain);
  const std::uint64_t sessions = counted.deduced[static_cast<std::size_t>(Dependency::Session)];
  out += pairs + sessions > 0 ? "  deduced   " : "  deduced    nothing";
  for (std::size_t i = 0; i < kDependencyCount; ++i)
    if (counted.deduced[i] + counted.uncertain[i] > 0)
      out +=
          fmt::format(" {} {}{}", counted.deduced[i], kDependencies[i], i + 1 < kDependencyCount ? "," : "");
  if (out.back() == ',') out.pop_back();
  out += fmt::format("; uncertain {} ({:.2e})\n", sum(counted.uncertain), uncertain_share(counted));
  if (pairs > 0) out += fmt::format("  overlaps   {}\n", overlap_words(counted));
  if (const std::string words = certifier_words(counted); !words.empty())
    out += fmt::format("  certifier  {}\n", words);
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

void write_dependencies(JsonWriter& json, const OnlineStatistics& statistics, std::string_view session) {
  json.key("dependencies").begin_object();
  for (std::size_t i = 0; i < kDependencyCount; ++i) {
    json.key(i < kDataKinds ? kDependencies[i] : session).begin_object();
    json.key("deduced").number(statistics.deduced[i]).key("uncertain").number(statistics.uncertain[i]);
    json.key("overlapping").number(statistics.overlapping[i]).end();
  }
  json.key("uncertain_share").number(uncertain_share(statistics));
  json.key("overlapping_share").number(overlapping_share(statistics)).end();
  const CertifierHints& hints = statistics.hints;
  json.key("hints").begin_object().key("certifier").text(name_of(statistics.certifier));
  json.key("matches").number(hints.matches_of(statistics.certifier));
  json.key("consecutive_anti_dependencies").number(hints.consecutive_anti_dependencies);
  json.key("dangerous_structures").number(hints.dangerous_structures);
  json.key("against_commit_order").number(hints.against_commit_order);
  json.key("overwritten_reads").number(hints.overwritten_reads);
  json.key("concurrent_writes").number(hints.concurrent_writes).end();
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
  write_dependencies(json, counted, kDependencies[kDataKinds]);
  json.key("held").begin_object().key("keys").number(counted.keys).key("versions").number(counted.versions);
  json.key("locks").number(counted.locks).key("vertices").number(counted.vertices);
  json.key("edges").number(counted.edges).key("open").number(counted.open_transactions).end();
}

}  // namespace serval::online
