#include "serval/check/polygraph/contradiction.h"

#include <algorithm>

#include "serval/check/polygraph/case_search.h"

namespace serval {
namespace {

constexpr std::size_t kMaxTransactions = 3000;
constexpr std::uint64_t kEffort = 1'000'000;  // Questions for the proof.
constexpr std::uint64_t kQuick = 2'000;       // Questions to decide whether some transactions can be dropped.

}  // namespace

std::optional<Contradiction> smallest_contradiction(const History& history, const Relations& relations,
                                                    const OpenKeys& open, const Points& points,
                                                    const std::vector<TransactionId>& transactions,
                                                    Budget& budget) {
  if (transactions.size() > kMaxTransactions) return std::nullopt;
  CaseSearch search(history, relations, open, points, transactions, budget);
  std::vector<bool> active(transactions.size(), true);
  std::optional<Contradiction> proof = search.refute(active, kEffort);
  if (!proof) return std::nullopt;
  // Drops entire ranges first, then single transactions: a contradiction without them is also one with
  // them.
  for (std::size_t stretch = std::max<std::size_t>(transactions.size() / 4, 1);; stretch /= 2) {
    for (std::size_t first = 0; first < transactions.size(); first += stretch) {
      std::vector<bool> fewer = active;
      const std::size_t end = std::min(first + stretch, transactions.size());
      std::fill(fewer.begin() + static_cast<std::ptrdiff_t>(first),
                fewer.begin() + static_cast<std::ptrdiff_t>(end), false);
      if (fewer == active) continue;
      if (std::optional<Contradiction> smaller = search.refute(fewer, kQuick)) {
        proof = std::move(smaller);
        active = fewer;
      }
    }
    if (stretch == 1) return proof;
  }
}

}  // namespace serval
