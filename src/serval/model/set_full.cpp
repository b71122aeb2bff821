// Elements are added to a set that is read repeatedly. Each element is stable (from some read on, every
// read shows it), lost (known to be there, but from some read on no read shows it) or never read. After
// Jepsen's set-full checker, with its definitions by positions in the file:
//
//   known        the end of its addition, or of the first read that shows it, whichever is first
//   stable       some read that shows it began after every read that lacks it
//   lost         a read that lacks it began after it was known and after every read that shows it
//   stale        stable, but a read that lacks it began after it was known

#include <algorithm>

#include <fmt/format.h>

#include "serval/model/checkers.h"
#include "serval/model/findings.h"
#include "serval/model/set_elements.h"

namespace serval {
namespace {

constexpr std::uint32_t kNone = ClientOperation::kNever;

// What the reads show about one element; reads are positions in ClientHistory::operations().
struct Occurrences {
  std::uint32_t first = kNone;   // The read showing it that ended first.
  std::uint32_t last = kNone;    // The read showing it that began last.
  std::uint32_t absent = kNone;  // The read lacking it that began last.
};

class SetFull {
 public:
  SetFull(const ClientHistory& history, const ModelOptions& options)
      : history_(history), options_(options), findings_(options), elements_(history) {}

  ModelResult check() && {
    collect_reads();
    occurrences_.resize(elements_.all().size());
    marks_.assign(elements_.all().size(), kNone);
    list_elements();
    for (const std::uint32_t read : reads_) look_at(read);
    for (std::size_t i = 0; i < occurrences_.size(); ++i) judge(elements_.all()[i], occurrences_[i]);
    return std::move(*this).conclude();
  }

 private:
  const ClientOperation& operation(std::uint32_t i) const { return history_.operations()[i]; }

  // By begin, descending.
  void collect_reads() {
    for (std::uint32_t i = 0; i < history_.operations().size(); ++i)
      if (operation(i).ok() && history_.function(operation(i)) == "read") reads_.push_back(i);
    std::ranges::sort(reads_, std::greater{}, [&](std::uint32_t i) { return operation(i).began; });
  }

  // Elements whose last absence is not known yet, by begin, descending.
  void list_elements() {
    for (std::uint32_t i = 0; i < elements_.all().size(); ++i)
      if (!elements_.all()[i].only_failed) waiting_.push_back(i);
    std::ranges::sort(waiting_, std::greater{}, [&](std::uint32_t i) { return elements_.all()[i].began; });
  }

  void look_at(std::uint32_t read) {
    if (options_.budget != nullptr) options_.budget->look("set-full");
    for (const FormValue& part : read_elements(history_, operation(read))) see(read, history_.value(part));
    note_absences(read);
  }

  void see(std::uint32_t read, Value value) {
    const SetElement* element = elements_.find(value);
    if (element == nullptr) {
      findings_.add("unexpected", {read}, value,
                    [&] { return fmt::format("{} was read, but never added", history_.format(value)); });
      return;
    }
    const auto i = static_cast<std::size_t>(element - elements_.all().data());
    if (marks_[i] == read)
      findings_.add("duplicate", {read}, value,
                    [&] { return fmt::format("{} was read more than once", history_.format(value)); });
    marks_[i] = read;
    Occurrences& seen = occurrences_[i];
    if (seen.last == kNone) seen.last = read;
    if (seen.first == kNone || operation(read).ended < operation(seen.first).ended) seen.first = read;
  }

  // Every element visited is either in the read or removed from the list, so all visits together are
  // linear in the elements read and added.
  void note_absences(std::uint32_t read) {
    auto first = waiting_.end();
    while (first != waiting_.begin() && elements_.all()[*(first - 1)].began < operation(read).ended) --first;
    const auto absent = [&](std::uint32_t i) {
      if (marks_[i] != read) occurrences_[i].absent = read;
      return marks_[i] != read;
    };
    waiting_.erase(std::remove_if(first, waiting_.end(), absent), waiting_.end());
  }

  void judge(const SetElement& element, const Occurrences& seen) {
    if (element.only_failed) {
      if (seen.last != kNone)
        findings_.add("failed-add", {element.add, seen.last}, element.value, [&] {
          return fmt::format("{} was read, but its addition had failed", history_.format(element.value));
        });
      return;
    }
    const std::uint32_t shown = seen.first == kNone ? kNone : operation(seen.first).ended;
    const std::uint32_t known = std::min(element.added_at, shown);
    const std::uint32_t absent = seen.absent == kNone ? 0 : operation(seen.absent).began;
    const bool missed = seen.absent != kNone && known < absent;
    const bool shown_last =
        seen.last != kNone && (seen.absent == kNone || absent < operation(seen.last).began);
    const std::uint32_t knower = known == element.added_at ? element.add : seen.first;
    stable_ += shown_last ? 1 : 0;
    if (missed && shown_last) stale(element, knower, seen);
    if (missed && !shown_last) lost(element, knower, seen);
    if (!shown_last && !missed) ++never_read_;
  }

  void lost(const SetElement& element, std::uint32_t knower, const Occurrences& seen) {
    findings_.add("lost", {knower, seen.absent}, element.value, [&] {
      return fmt::format("{} was known to be in the set, then no read showed it",
                         history_.format(element.value));
    });
  }

  void stale(const SetElement& element, std::uint32_t knower, const Occurrences& seen) {
    ++stale_;
    const auto since = history_.time(operation(knower).ended),
               until = history_.time(operation(seen.absent).began);
    if (since && until) worst_latency_ns_ = std::max(worst_latency_ns_, *until - *since);
    if (options_.stale_reads == StaleReads::Allowed) return;
    findings_.add("stale", {knower, seen.absent, seen.last}, element.value, [&] {
      return fmt::format("{} was known to be in the set, but a later read lacks it",
                         history_.format(element.value));
    });
  }

  ModelResult conclude() && {
    findings_.fact("elements", elements_.all().size());
    findings_.fact("reads", reads_.size());
    findings_.fact("stable", stable_);
    findings_.fact("never-read", never_read_);
    findings_.fact("stale", stale_);
    if (worst_latency_ns_ > 0)
      findings_.fact("worst-stale-latency", fmt::format("{} ms", worst_latency_ns_ / 1'000'000));
    return std::move(findings_).finish(stable_ == 0 ? "no element is known to have stayed in the set" : "");
  }

  const ClientHistory& history_;
  const ModelOptions& options_;
  Findings findings_;
  SetElements elements_;
  std::vector<std::uint32_t> reads_;
  std::vector<Occurrences> occurrences_;  // By element.
  std::vector<std::uint32_t> marks_;      // By element: the last read visited that shows it.
  std::vector<std::uint32_t> waiting_;    // Elements.
  std::uint64_t stable_ = 0, never_read_ = 0, stale_ = 0;
  std::int64_t worst_latency_ns_ = 0;
};

}  // namespace

ModelResult check_set_full(const ClientHistory& history, const ModelOptions& options) {
  return SetFull(history, options).check();
}

}  // namespace serval
