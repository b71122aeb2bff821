#include "serval/solver/proof_log.h"

#include <algorithm>

#include "serval/base/contract.h"

namespace serval {

ProofId ProofLog::push(Kind kind) {
  expects(kinds_.size() < 0xFFFFFFFFu, "fewer than 2^32 - 1 conclusions");
  kinds_.push_back(kind);
  ends_.push_back(items_.size());
  return static_cast<ProofId>(kinds_.size() - 1);
}

ProofId ProofLog::given(std::uint32_t clause) {
  items_.push_back(clause);
  return push(Kind::Given);
}

ProofId ProofLog::cycle(std::span<const Literal> statements) {
  for (const Literal statement : statements) items_.push_back(statement.code);
  return push(Kind::Cycle);
}

ProofId ProofLog::derived(std::span<const ProofId> antecedents) {
  const std::size_t first = items_.size();
  items_.insert(items_.end(), antecedents.begin(), antecedents.end());
  const auto added = items_.begin() + static_cast<std::ptrdiff_t>(first);
  std::sort(added, items_.end());
  items_.erase(std::unique(added, items_.end()), items_.end());
  return push(Kind::Derived);
}

std::span<const std::uint32_t> ProofLog::items(ProofId id) const {
  const std::uint64_t first = id == 0 ? 0 : ends_[id - 1];
  return std::span(items_).subspan(first, ends_[id] - first);
}

// Antecedents have smaller ids, so one downward pass suffices.
std::vector<bool> ProofLog::reachable(std::span<const ProofId> roots) const {
  std::vector<bool> marked(kinds_.size(), false);
  for (const ProofId root : roots) marked[root] = true;
  for (auto id = static_cast<ProofId>(kinds_.size()); id-- > 0;) {
    if (!marked[id] || kinds_[id] != Kind::Derived) continue;
    for (const ProofId antecedent : items(id)) marked[antecedent] = true;
  }
  return marked;
}

ProofLog::Sources ProofLog::sources(std::span<const ProofId> roots) const {
  Sources result;
  const std::vector<bool> marked = reachable(roots);
  for (ProofId id = 0; id < kinds_.size(); ++id) {
    if (!marked[id] || kinds_[id] == Kind::Derived) continue;
    if (kinds_[id] == Kind::Given) {
      result.clauses.push_back(items(id)[0]);
      continue;
    }
    std::vector<Literal>& cycle = result.cycles.emplace_back();
    for (const std::uint32_t code : items(id)) cycle.push_back({code});
  }
  std::ranges::sort(result.clauses);
  return result;
}

std::vector<ProofId> ProofLog::retain(std::span<const ProofId> roots) {
  const std::vector<bool> marked = reachable(roots);
  std::vector<ProofId> moved(kinds_.size(), 0);
  ProofId next = 0;
  std::uint64_t first = 0, next_item = 0;
  for (ProofId id = 0; id < kinds_.size(); ++id) {
    const std::uint64_t end = ends_[id];
    if (marked[id]) {
      for (std::uint64_t item = first; item < end; ++item)
        items_[next_item++] = kinds_[id] == Kind::Derived ? moved[items_[item]] : items_[item];
      kinds_[next] = kinds_[id];
      ends_[next] = next_item;
      moved[id] = next++;
    }
    first = end;
  }
  kinds_.resize(next);
  ends_.resize(next);
  items_.resize(next_item);
  return moved;
}

}  // namespace serval
