#include "serval/history/certificate.h"

#include <algorithm>
#include <charconv>

#include "serval/history/certificate_flaw.h"

namespace serval {
namespace {

// Removes a number from the front of the text, and the character `separator` after it if present.
std::optional<std::uint64_t> take_number(std::string_view& text, char separator) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  if (text.starts_with(separator)) text.remove_prefix(1);
  return number;
}

}  // namespace

std::optional<TransactionSnapshot> TransactionSnapshot::parse(std::string_view text) {
  if (std::ranges::count(text, ':') != 2) return std::nullopt;
  TransactionSnapshot out;
  const std::optional<std::uint64_t> low = take_number(text, ':'), high = take_number(text, ':');
  if (!low || !high) return std::nullopt;
  out.first_running = *low;
  out.first_future = *high;
  while (!text.empty()) {
    const bool last = text.find(',') == std::string_view::npos;
    const std::optional<std::uint64_t> running = take_number(text, ',');
    if (!running || (last && !text.empty()) || (!last && text.empty())) return std::nullopt;
    out.running.push_back(*running);
  }
  std::ranges::sort(out.running);
  return is_consistent(out) ? std::optional(std::move(out)) : std::nullopt;
}

std::string TransactionSnapshot::format() const {
  std::string out = std::to_string(first_running) + ":" + std::to_string(first_future) + ":";
  for (const char* between = ""; const std::uint64_t transaction : running) {
    out += between + std::to_string(transaction);
    between = ",";
  }
  return out;
}

bool TransactionSnapshot::shows(std::uint64_t transaction) const {
  if (transaction < first_running) return true;
  return transaction < first_future && !std::ranges::binary_search(running, transaction);
}

const VersionSet* Certificate::version_set(OperationId op) const {
  const auto found =
      std::ranges::lower_bound(version_sets, op, {}, &std::pair<OperationId, VersionSet>::first);
  return found != version_sets.end() && found->first == op ? &found->second : nullptr;
}

}  // namespace serval
