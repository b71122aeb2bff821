#include "serval/model/string_object.h"

#include <algorithm>
#include <string>

namespace serval {
namespace {

using Kind = StringOperation::Kind;

// Compares the start of `answer` with front + back.
int compare_beginning(std::string_view answer, std::string_view front, std::string_view back) {
  const int order = answer.substr(0, front.size()).compare(front);
  if (order != 0) return order;
  return answer.substr(front.size(), back.size()).compare(back);
}

}  // namespace

StringObject::StringObject(std::vector<StringOperation> operations, std::span<const CallSpan> spans)
    : operations_(std::move(operations)), spans_(spans) {
  absl::flat_hash_map<std::pair<Kind, std::string_view>, std::uint32_t> kinds;
  for (const StringOperation& one : operations_) {
    kinds_.push_back(
        kinds.try_emplace({one.kind, one.text}, static_cast<std::uint32_t>(kinds.size())).first->second);
  }
  for (std::uint32_t i = 0; i < operations_.size(); ++i)
    if (operations_[i].kind == Kind::Get && !spans_[i].lost()) answers_.push_back(operations_[i].text);
  std::ranges::sort(answers_);
  answers_.erase(std::unique(answers_.begin(), answers_.end()), answers_.end());
  initial_ = state_of("", "");
  for (std::uint32_t i = 0; i < operations_.size(); ++i) {
    own_states_.push_back(operations_[i].kind == Kind::Append ? 0 : state_of(operations_[i].text, ""));
    if (operations_[i].kind == Kind::Put && spans_[i].lost()) lost_puts_.push_back(i);
  }
}

std::uint64_t StringObject::state_of(std::string_view front, std::string_view back) const {
  const auto first = std::partition_point(answers_.begin(), answers_.end(), [&](std::string_view answer) {
    return compare_beginning(answer, front, back) < 0;
  });
  if (first == answers_.end() || compare_beginning(*first, front, back) != 0) return kHopeless;
  return static_cast<std::uint64_t>(first - answers_.begin()) << 32 | (front.size() + back.size());
}

std::optional<std::uint64_t> StringObject::apply(std::uint64_t state, std::uint32_t operation) {
  const StringOperation& one = operations_[operation];
  if (one.kind == Kind::Put) return own_states_[operation];
  if (one.kind == Kind::Get) return own_states_[operation] == state ? std::optional(state) : std::nullopt;
  if (state == kHopeless) return kHopeless;
  const auto [known, is_new] = appended_.try_emplace({state, kinds_[operation]}, kHopeless);
  if (is_new) known->second = state_of(text_of(state), one.text);
  return known->second;
}

bool StringObject::is_hopeless(std::uint64_t state, const WaitingOperations& waiting) const {
  std::uint32_t next = CallSpan::kNever, end = CallSpan::kNever;
  for (std::uint32_t i = waiting.first(); waiting.has(i) && spans_[i].call < end; i = waiting.after(i))
    if (operations_[i].kind == Kind::Get && spans_[i].end < end) {
      next = i;
      end = spans_[i].end;
    }
  if (next == CallSpan::kNever) return false;
  const std::string_view answer = operations_[next].text;
  if (state != kHopeless && answer.starts_with(text_of(state))) return false;
  for (std::uint32_t i = waiting.first(); waiting.has(i) && spans_[i].call < end; i = waiting.after(i))
    if (operations_[i].kind == Kind::Put && answer.starts_with(operations_[i].text)) return false;
  return std::ranges::none_of(lost_puts_, [&](std::uint32_t i) {
    return spans_[i].call < end && answer.starts_with(operations_[i].text);
  });
}

}  // namespace serval
