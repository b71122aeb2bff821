// A counter that clients add to. A read must lie between what was certainly added before it began and
// what may have been added by the time it ended; for negative amounts the bounds are reversed. After
// Jepsen's counter checker, which does not support negative amounts.

#include <fmt/format.h>

#include "serval/model/checkers.h"
#include "serval/model/findings.h"

namespace serval {
namespace {

struct Amounts {
  std::int64_t up = 0, down = 0;  // Sums of positive and of negative additions.
};

class Counter {
 public:
  Counter(const ClientHistory& history, const ModelOptions& options)
      : history_(history), options_(options), findings_(options) {}

  ModelResult check() && {
    ended_before_.resize(history_.operations().size());
    for (const ClientHistory::Event& event : history_.events()) {
      if (options_.budget != nullptr) options_.budget->poll("counter");
      step(event);
    }
    findings_.fact("reads", reads_);
    return std::move(findings_).finish(reads_ == 0 ? "no read succeeded, so there is nothing to judge" : "");
  }

 private:
  void step(const ClientHistory::Event& event) {
    const ClientOperation& operation = history_.operations()[event.operation];
    if (operation.failed()) return;
    if (history_.function(operation) == "add")
      add(event.begins ? begun_ : ended_, operation);
    else if (event.begins)
      ended_before_[event.operation] = ended_;
    else
      judge(event.operation, operation);
  }

  std::int64_t integer(const ClientOperation& operation, const FormValue& term) const {
    const std::optional<std::int64_t> number = integer_in(term);
    if (!number) throw history_.error(operation, "expected an integer");
    return *number;
  }

  void add(Amounts& sums, const ClientOperation& operation) const {
    const std::int64_t amount = integer(operation, *operation.argument);
    std::int64_t& sum = amount > 0 ? sums.up : sums.down;
    if (__builtin_add_overflow(sum, amount, &sum))
      throw history_.error(operation, "the sum of all amounts exceeds 64 bits");
  }

  void judge(std::uint32_t i, const ClientOperation& operation) {
    ++reads_;
    const std::int64_t value = integer(operation, *operation.result);
    const std::int64_t least = ended_before_[i].up + begun_.down;
    const std::int64_t most = begun_.up + ended_before_[i].down;
    if (value < least || value > most)
      findings_.add("out-of-bounds", {i}, {}, [&] {
        return fmt::format("read {}, but the counter was between {} and {}", value, least, most);
      });
  }

  const ClientHistory& history_;
  const ModelOptions& options_;
  Findings findings_;
  Amounts begun_, ended_;              // So far.
  std::vector<Amounts> ended_before_;  // By read: as of its begin.
  std::uint64_t reads_ = 0;
};

}  // namespace

ModelResult check_counter(const ClientHistory& history, const ModelOptions& options) {
  return Counter(history, options).check();
}

}  // namespace serval
