// Which way to find an order is better? Compares OrderSolver (learning with an integrated dynamic
// topological order) with CaDiCaL plus clauses against the cycles of its models. Both get the same
// histories and, in each round, the constraints that their current order violates, as in the check room.
//
//   order_solver_comparison [SECONDS per run] [PATTERN in the name]      default: 60, all

#include <cstdlib>
#include <ctime>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "order_solver/cadical_order_solver.h"
#include "order_solver/polygraph.h"
#include "order_solver/random_clauses.h"
#include "serval/solver/order_solver.h"

namespace {

using namespace serval;
using namespace serval::bench;

constexpr const char* kNoAnswer = "no answer";

struct Row {
  std::string answer = kNoAnswer;
  double seconds = 0;  // Processor time, because other programs may run at the same time.
  std::uint64_t rounds = 0, clauses = 0, conflicts = 0, visited = 0;
};

// Adds the constraints that the current order violates, until there are none.
template <class Solver>
void answer(Solver& solver, const Polygraph& graph, Row& row) {
  while (true) {
    ++row.rounds;
    std::vector<std::vector<Literal>> clauses;
    for_each_violation(graph, solver.rank(), [&](const Polygraph::Read& read, Vertex other) {
      std::vector<Literal>& clause = clauses.emplace_back(1, solver.before(read.reader, other));
      if (read.writer != Polygraph::kInitial) clause.push_back(solver.before(other, read.writer));
    });
    for (const std::vector<Literal>& clause : clauses) solver.add_clause(clause);
    row.clauses += clauses.size();
    if (!clauses.empty() && !solver.solve()) row.answer = "impossible";
    if (clauses.empty()) row.answer = "order";
    if (row.answer != kNoAnswer) return;
  }
}

// Adds all clauses at once.
template <class Solver>
void answer(Solver& solver, const RandomClauses& instance, Row& row) {
  row.rounds = 1;
  row.clauses = instance.clauses.size();
  for (const auto& [a, b, c, d] : instance.clauses)
    solver.add_clause(std::vector<Literal>{solver.before(a, b), solver.before(c, d)});
  row.answer = solver.solve() ? "order" : "impossible";
}

void note(const OrderSolver& solver, Row& row) {
  row.conflicts = solver.statistics().conflicts;
  row.visited = solver.statistics().vertices_visited;
}

void note(const CadicalOrderSolver& solver, Row& row) {
  row.conflicts = solver.cycles();
  row.visited = solver.vertices_visited();
}

template <class Solver, class Instance>
Row run(const Instance& instance, int seconds) {
  Row row;
  Budget budget = Budget::until(Budget::Clock::now() + std::chrono::seconds(seconds));
  const std::clock_t before = std::clock();
  Solver solver(instance.known, instance.start, budget);
  try {
    answer(solver, instance, row);
  } catch (const BudgetExhausted&) {
  }
  note(solver, row);
  row.seconds = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
  return row;
}

void print(std::string_view name, std::string_view solver, const Row& row) {
  fmt::print("{:<34} {:<12} {:<10} {:>9.3f} {:>6} {:>9} {:>9} {:>11}\n", name, solver, row.answer,
             row.seconds, row.rounds, row.clauses, row.conflicts, row.visited);
  std::fflush(stdout);
}

struct Case {
  const char* name;
  std::variant<PolygraphSize, RandomClausesSize> size;
};

// transactions, sessions, keys, operations, displacement; vertices, clauses.
const Case kCases[] = {
    {"large 10k, near", PolygraphSize{10'000, 20, 10'000, 8, 20}},
    {"large 100k, near", PolygraphSize{100'000, 20, 10'000, 8, 20}},
    {"large 1M, near", PolygraphSize{1'000'000, 20, 10'000, 8, 20}},
    {"large 10k, far", PolygraphSize{10'000, 20, 10'000, 8, 1000}},
    {"large 100k, far", PolygraphSize{100'000, 20, 10'000, 8, 1000}},
    {"large 100k, planted", PolygraphSize{100'000, 20, 10'000, 8, 20, true}},
    {"large 100k, 1 stale read", PolygraphSize{100'000, 20, 10'000, 8, 20, false, 1}},
    {"dense 500, 10 keys", PolygraphSize{500, 0, 10, 4, 500}},
    {"dense 500, 50 keys", PolygraphSize{500, 0, 50, 4, 500}},
    {"dense 1000, 100 keys", PolygraphSize{1000, 0, 100, 4, 1000}},
    {"dense 2000, 500 keys", PolygraphSize{2000, 0, 500, 4, 2000}},
    {"dense 500, 50 keys, 1 stale", PolygraphSize{500, 0, 50, 4, 500, false, 1}},
    {"dense 1000, 100 keys, planted", PolygraphSize{1000, 0, 100, 4, 1000, true}},
    {"dense 2000, 500 keys, 5 stale", PolygraphSize{2000, 0, 500, 4, 2000, false, 5}},
    {"clauses 50 x 500", RandomClausesSize{50, 500, true}},
    {"clauses 100 x 700", RandomClausesSize{100, 700, true}},
    {"clauses 100 x 3000", RandomClausesSize{100, 3000, true}},
    {"clauses 30 x 200, no order hidden", RandomClausesSize{30, 200, false}},
    {"clauses 50 x 400, no order hidden", RandomClausesSize{50, 400, false}},
    {"clauses 100 x 3000, no order hidden", RandomClausesSize{100, 3000, false}},
};

Polygraph make(const PolygraphSize& size, Budget& budget) { return make_polygraph(size, 1, budget); }
RandomClauses make(const RandomClausesSize& size, Budget&) { return make_random_clauses(size, 1); }

}  // namespace

int main(int argc, char** argv) {
  const int seconds = argc > 1 ? std::atoi(argv[1]) : 60;
  const std::string_view pattern = argc > 2 ? argv[2] : "";
  fmt::print("{:<34} {:<12} {:<10} {:>9} {:>6} {:>9} {:>9} {:>11}\n", "instance", "solver", "answer", "cpu s",
             "rounds", "clauses", "conflicts", "visited");
  for (const Case& each : kCases) {
    if (std::string_view(each.name).find(pattern) == std::string_view::npos) continue;
    Budget unlimited = Budget::unlimited();
    std::visit(
        [&](const auto& size) {
          const auto instance = make(size, unlimited);
          print(each.name, "OrderSolver", run<OrderSolver>(instance, seconds));
          print(each.name, "CaDiCaL", run<CadicalOrderSolver>(instance, seconds));
        },
        each.size);
  }
  return 0;
}
