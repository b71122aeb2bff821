#include "serval/online/violation.h"

#include <array>

#include <fmt/format.h>

#include "serval/base/printable.h"

namespace serval::online {
namespace {

std::string format_time(Time time) {
  if (time == kUnknownBegin) return "-";
  if (time == kUnknownEnd) return "?";
  return fmt::format("{}", time);
}

}  // namespace

std::string spelled(const CitedRecord& record) {
  if (record.transaction == 0) return "initially";
  return fmt::format("T{} (session {})", record.transaction,
                     record.session_label.empty() ? std::to_string(record.session) : record.session_label);
}

std::string_view name_of(Mechanism mechanism) {
  constexpr std::array<std::string_view, kMechanismCount> kNames{
      "consistent-read", "mutual-exclusion", "first-updater-wins", "serialization-certifier"};
  return kNames[static_cast<std::size_t>(mechanism)];
}

std::string Violation::format(const std::function<std::string(const CitedRecord&)>& who) const {
  std::string out = fmt::format("{}: {}{}{}\n", name_of(mechanism), serval::name_of(kind),
                                key.empty() ? "" : " at ", printable(key));
  for (const Derivation* derivation : {&first, &second}) {
    if (derivation->conclusion.empty()) continue;
    out += fmt::format("  {}\n", printable(derivation->conclusion));
    for (const CitedRecord& record : derivation->records)
      out += fmt::format("    {}: {} in [{}, {}]\n", printable(who(record)), printable(record.action),
                         format_time(record.time.begin), format_time(record.time.end));
  }
  return out;
}

}  // namespace serval::online
