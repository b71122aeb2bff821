#pragma once
// What a partition of the keys found about transactions: dependencies and violations. Each finding
// records its position in the order of a single partition, so that the findings of several partitions can
// be merged in that order.
//
//   found.at(Findings::Step::Read, access);
//   found.link({.from = writer, .to = reader, .key = key, .dependency = Dependency::WriteRead});
//   found.report(std::move(violation));

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "serval/online/stored_value.h"
#include "serval/online/violation.h"

namespace serval::online {

// A violation. If it is a read of a value that was never committed, the writer may be found later.
struct Report {
  Violation violation;
  struct Unwritten {
    std::uint32_t key;
    StoredValue value;
    Time read_by;                    // The writer had begun to write it by then.
    std::uint64_t ended_before = 0;  // LiveTransaction::ended_before of the reader.
  };
  std::optional<Unwritten> unwritten = std::nullopt;
  std::uint64_t judged = 0;  // LiveTransaction::judged of its transaction.
};

class Findings {
 public:
  // The steps of judging one transaction, in order.
  enum class Step : std::uint8_t { OwnRead, Unseen, Skew, Half, Read, Write };
  struct Link {
    Participant from, to;
    std::uint32_t key = 0;
    Dependency dependency = Dependency::WriteWrite;
    bool new_object = false;  // The write creates a new object rather than the next version.
  };
  struct Finding {
    static constexpr std::uint32_t kNoReport = 0xFFFFFFFFu;
    std::uint64_t order;
    Link link;
    std::uint32_t report = kNoReport;  // Into reports().
  };

  void at(Step step, std::uint32_t access) {
    order_ = std::uint64_t{static_cast<std::uint8_t>(step)} << 32 | access;
  }
  void link(const Link& link) { all_.push_back({.order = order_, .link = link}); }
  void report(Report report) {
    all_.push_back({.order = order_, .link = {}, .report = static_cast<std::uint32_t>(reports_.size())});
    reports_.push_back(std::move(report));
  }

  const std::vector<Finding>& all() const { return all_; }
  Report& report_of(const Finding& finding) { return reports_[finding.report]; }
  void clear() {
    all_.clear();
    reports_.clear();
  }

 private:
  std::uint64_t order_ = 0;
  std::vector<Finding> all_;
  std::vector<Report> reports_;
};

}  // namespace serval::online
