#include "serval/online/violation.h"

#include <fmt/format.h>

#include "serval/base/printable.h"
namespace serval::online {
namespace {

std::string format_time(Time time) {
  if (time == kUnknownBegin) return "-";
  if (time == kUnknownEnd) return "?";
  return fmt::format("{}", time);
}

void put(std::string& out, const Derivation& derivation) {
  if (derivation.conclusion.empty()) return;
  out += fmt::format("  {}\n", printable(derivation.conclusion));
  for (const CitedRecord& record : derivation.records) {
    const std::string who = record.transaction == 0
                                ? std::string("initially")
                                : fmt::format("T{} (session {})", record.transaction,
                                              record.session_label.empty() ? std::to_string(record.session)
                                                                           : printable(record.session_label));
    out += fmt::format("    {}: {} in [{}, {}]\n", who, printable(record.action),
                       format_time(record.time.begin), format_time(record.time.end));
  }
}

}  // namespace

std::string_view name_of(Mechanism mechanism) {
  switch (mechanism) {
    case Mechanism::ConsistentRead:
      return "consistent-read";
    case Mechanism::MutualExclusion:
      return "mutual-exclusion";
    case Mechanism::FirstUpdaterWins:
      return "first-updater-wins";
    case Mechanism::SerializationCertifier:
      return "serialization-certifier";
  }
  return {};
}

std::string Violation::format() const {
  std::string out = fmt::format("{}: {}{}{}\n", name_of(mechanism), serval::name_of(kind),
                                key.empty() ? "" : " at ", printable(key));
  put(out, first);
  put(out, second);
  return out;
}

}  // namespace serval::online
