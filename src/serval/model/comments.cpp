// Comments are inserted blindly and read all together. A read that shows a comment must show every
// comment whose insertion had ended before that one's began, and every comment whose insertion had ended
// before the read began: strict serializability. After the comments workload of Jepsen's CockroachDB
// tests, which does not check the latter.

#include <algorithm>

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include "serval/model/checkers.h"
#include "serval/model/findings.h"
#include "serval/model/set_elements.h"

namespace serval {
namespace {

constexpr std::uint32_t kNone = ClientOperation::kNever;

class Comments {
 public:
  Comments(const ClientHistory& history, const ModelOptions& options)
      : history_(history), options_(options), findings_(options) {}

  ModelResult check() && {
    collect_writes();
    seen_in_.assign(history_.operations().size(), kNone);
    for (std::uint32_t i = 0; i < history_.operations().size(); ++i)
      if (operation(i).ok() && history_.function(operation(i)) == "read") judge(i);
    findings_.fact("writes", writes_.size());
    findings_.fact("reads", reads_);
    return std::move(findings_).finish(reads_ == 0 ? "no read succeeded, so there is nothing to judge" : "");
  }

 private:
  const ClientOperation& operation(std::uint32_t i) const { return history_.operations()[i]; }

  void collect_writes() {
    for (std::uint32_t i = 0; i < history_.operations().size(); ++i) {
      if (history_.function(operation(i)) != "write") continue;
      history_.require_begin(operation(i));
      if (!writes_.try_emplace(history_.value(*operation(i).argument), i).second)
        throw history_.error(operation(i), "expected every comment to be written only once");
      if (operation(i).ok()) by_end_.push_back(i);
    }
    std::ranges::sort(by_end_, {}, [&](std::uint32_t i) { return operation(i).ended; });
  }

  // Everything that ended before the last write seen began, or before the read began, must be seen.
  void judge(std::uint32_t read) {
    if (options_.budget != nullptr) options_.budget->look("comments");
    ++reads_;
    history_.require_begin(operation(read));
    const std::uint32_t cause = look_at(read);
    const auto expected = std::ranges::lower_bound(by_end_, operation(cause).began, {},
                                                   [&](std::uint32_t i) { return operation(i).ended; });
    const auto in_time = [&](std::uint32_t i) { return operation(i).ended < operation(cause).began; };
    if (std::ranges::count_if(shown_, in_time) == expected - by_end_.begin()) return;
    const auto seen = [&](std::uint32_t i) { return seen_in_[i] == read; };
    report_missing(*std::find_if_not(by_end_.begin(), expected, seen), cause, read);
  }

  // Records which writes a read shows; returns the one that began last, or the read if that began later.
  std::uint32_t look_at(std::uint32_t read) {
    shown_.clear();
    std::uint32_t cause = read;
    for (const FormValue& part : read_elements(history_, operation(read))) {
      const auto write = writes_.find(history_.value(part));
      // Written before the recording started.
      if (write == writes_.end() || seen_in_[write->second] == read) continue;
      seen_in_[write->second] = read;
      if (operation(write->second).ok()) shown_.push_back(write->second);
      if (operation(write->second).failed()) report_failed(write->second, read, write->first);
      if (operation(write->second).began > operation(cause).began) cause = write->second;
    }
    return cause;
  }

  void report_failed(std::uint32_t write, std::uint32_t read, Value comment) {
    findings_.add("failed-write", {write, read}, comment, [&] {
      return fmt::format("{} was read, but writing it had failed", history_.format(comment));
    });
  }

  void report_missing(std::uint32_t earlier, std::uint32_t cause, std::uint32_t read) {
    const Value missing = history_.value(*operation(earlier).argument);
    if (cause == read)
      findings_.add("stale-read", {earlier, read}, missing, [&] {
        return fmt::format("{} was written before the read began, which does not show it",
                           history_.format(missing));
      });
    else
      findings_.add("missing-predecessor", {earlier, cause, read}, missing, [&] {
        return fmt::format("the read shows {}, but not {}, which was written before that one began",
                           history_.format(history_.value(*operation(cause).argument)),
                           history_.format(missing));
      });
  }

  const ClientHistory& history_;
  const ModelOptions& options_;
  Findings findings_;
  absl::flat_hash_map<Value, std::uint32_t> writes_;
  std::vector<std::uint32_t> by_end_;   // Successful writes.
  std::vector<std::uint32_t> seen_in_;  // By operation: the last read that shows this write.
  std::vector<std::uint32_t> shown_;    // Successful writes that the current read shows.
  std::uint64_t reads_ = 0;
};

}  // namespace

ModelResult check_comments(const ClientHistory& history, const ModelOptions& options) {
  return Comments(history, options).check();
}

}  // namespace serval
