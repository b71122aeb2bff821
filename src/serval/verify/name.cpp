#include "serval/verify/name.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

namespace serval::verify {
namespace {

// What a name says about the edges, for the names that a cycle may have.
struct Claim {
  enum class Order { Data, Session, RealTime } order;
  AntiDependencies anti;
  std::string_view shape = {};  // The exact edge kinds around the cycle, starting at some edge; empty: any.
};

// The five classes of one variant, by their offset from the first.
Claim class_claim(int position, Claim::Order order) {
  using enum AntiDependencies;
  constexpr AntiDependencies kByClass[] = {None, None, One, NonAdjacent, Adjacent};
  return {order, kByClass[position]};
}

std::optional<Claim> claim_of(AnomalyKind kind) {
  using enum AnomalyKind;
  using enum AntiDependencies;
  using enum Claim::Order;
  switch (kind) {
    case NonMonotonicRead:
    case FracturedRead:
      return Claim{Data, One, "wr rw"};
    case NonMonotonicView:
    case CausalityViolation:
    case CursorLostUpdate:
      return Claim{Data, One};
    case LongFork:
      return Claim{Data, NonAdjacent, "wr rw wr rw"};
    case WriteSkew:
    case PredicateWriteSkew:
      return Claim{Data, Adjacent, "rw rw"};
    case ReadYourWritesViolation:
      return Claim{Session, One, "so rw"};
    case MonotonicReadsViolation:
      return Claim{Session, One, "wr so rw"};
    case MonotonicWritesViolation:
      return Claim{Session, One, "so wr rw"};
    case WritesFollowReadsViolation:
      return Claim{Session, One, "wr so wr rw"};
    default:
      break;
  }
  for (const auto& [first, order] :
       {std::pair(Phantom, Data), std::pair(PhantomSession, Session), std::pair(PhantomRealTime, RealTime)}) {
    const int position = static_cast<int>(kind) - static_cast<int>(first);
    if (position >= 0 && position < 3) return class_claim(position + 2, order);
  }
  for (const auto& [first, order] : {std::pair(DirtyWrite, Data), std::pair(DirtyWriteSession, Session),
                                     std::pair(DirtyWriteRealTime, RealTime)}) {
    const int position = static_cast<int>(kind) - static_cast<int>(first);
    if (position >= 0 && position < 5) return class_claim(position, order);
  }
  return std::nullopt;
}

bool has_order(Claim::Order order, const Cycle& cycle) {
  const bool session = count_edges(cycle, EdgeKind::Session) > 0;
  const bool real_time = count_edges(cycle, EdgeKind::RealTime) > 0;
  switch (order) {
    case Claim::Order::Data:
      return !session && !real_time;
    case Claim::Order::Session:
      return session && !real_time;
    case Claim::Order::RealTime:
      return real_time;
  }
  return false;
}

std::string format_from(const Cycle& cycle, std::size_t start) {
  std::string out;
  for (std::size_t i = 0; i < cycle.edges.size(); ++i)
    out +=
        fmt::format("{}{}", i == 0 ? "" : " ", name_of(cycle.edges[(start + i) % cycle.edges.size()].kind));
  return out;
}

bool has_shape(const Cycle& cycle, std::string_view shape) {
  if (shape.empty()) return true;
  if (shape.size() != 3 * cycle.edges.size() - 1) return false;
  for (std::size_t start = 0; start < cycle.edges.size(); ++start)
    if (format_from(cycle, start) == shape) return true;
  return false;
}

bool fits_narrower_name(AnomalyKind kind, const Cycle& cycle) {
  const auto on_one_key = [&](const Edge& edge) { return edge.key == cycle.edges.front().key; };
  switch (kind) {
    case AnomalyKind::DirtyWrite:
    case AnomalyKind::DirtyWriteSession:
    case AnomalyKind::DirtyWriteRealTime:
      return count_edges(cycle, EdgeKind::WriteRead) == 0;
    case AnomalyKind::CausalityViolation:
      return count_edges(cycle, EdgeKind::WriteWrite) == 0;
    case AnomalyKind::NonMonotonicRead:
    case AnomalyKind::NonMonotonicView:
      return reads_go_back(cycle);
    case AnomalyKind::CursorLostUpdate:
      return count_edges(cycle, EdgeKind::WriteRead) == 0 && std::ranges::all_of(cycle.edges, on_one_key);
    default:
      return true;
  }
}

}  // namespace

bool reads_go_back(const Cycle& cycle) {
  const auto missed = std::ranges::find(cycle.edges, EdgeKind::ReadWrite, &Edge::kind);
  if (missed == cycle.edges.end()) return false;
  // The edge before it; another one may lead to the same transaction.
  const Edge& observed = missed == cycle.edges.begin() ? cycle.edges.back() : *(missed - 1);
  return observed.to == missed->from && observed.kind == EdgeKind::WriteRead &&
         observed.to_op < missed->from_op;
}

std::size_t count_edges(const Cycle& cycle, EdgeKind kind) {
  return static_cast<std::size_t>(std::ranges::count(cycle.edges, kind, &Edge::kind));
}

AntiDependencies anti_dependencies(const Cycle& cycle) {
  const std::size_t size = cycle.edges.size();
  for (std::size_t i = 0; i < size; ++i)
    if (cycle.edges[i].kind == EdgeKind::ReadWrite && cycle.edges[(i + 1) % size].kind == EdgeKind::ReadWrite)
      return AntiDependencies::Adjacent;
  const std::size_t number = count_edges(cycle, EdgeKind::ReadWrite);
  return number == 0   ? AntiDependencies::None
         : number == 1 ? AntiDependencies::One
                       : AntiDependencies::NonAdjacent;
}

Flaw flaw_of_name(AnomalyKind kind, const Cycle& cycle) {
  const std::optional<Claim> claim = claim_of(kind);
  if (!claim) return "a cycle is not evidence for this anomaly";
  const auto of_predicate = [](const Edge& edge) { return edge.of_predicate; };
  const auto is_phantom = [](const Edge& edge) {
    return edge.of_predicate && edge.kind == EdgeKind::ReadWrite;
  };
  const bool predicates = std::ranges::any_of(cycle.edges, of_predicate);
  const bool phantoms = std::ranges::any_of(cycle.edges, is_phantom);
  if (phantoms != needs_certificate(kind))
    return fmt::format("an anti-dependency of a predicate {} {}",
                       phantoms ? "makes it more than" : "is missing for", name_of(kind));
  if (predicates && !phantoms && kind < AnomalyKind::DirtyWrite)
    return "the name only covers item dependencies";
  if (kind == AnomalyKind::PredicateWriteSkew && !std::ranges::all_of(cycle.edges, of_predicate))
    return "one of the two did not change what a predicate matches";
  if (has_order(claim->order, cycle) && anti_dependencies(cycle) == claim->anti &&
      has_shape(cycle, claim->shape) && fits_narrower_name(kind, cycle))
    return std::nullopt;
  return fmt::format("its edges do not have the shape of {}", name_of(kind));
}

}  // namespace serval::verify
