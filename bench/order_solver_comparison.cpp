// Which way to find an order is the better one? OrderSolver (learning with a dynamic topological order
// inside) against CaDiCaL with clauses against the cycles of its models. Both get the same histories and,
// round by round, the constraints that their present order violates, as the check room asks them.
//
//   order_solver_comparison [SECONDS a run] [PATTERN in the name]      default: 60, all

#include <cstdlib>
#include <ctime>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "order_solver/cadical_order_solver.h"
#include "order_solver/polygraph.h"
#include "serval/solver/order_solver.h"

namespace {

using namespace serval;
using namespace serval::bench;

struct Row {
  std::string answer = "no answer";
  double seconds = 0;  // Of processor time: other programs may run beside.
  std::uint64_t rounds = 0, clauses = 0, conflicts = 0, visited = 0;
};

template <class Solver>
void solve_in_rounds(Solver& solver, const Polygraph& graph, Row& row) {
  while (true) {
    ++row.rounds;
    const std::uint64_t before = row.clauses;
    std::vector<std::vector<Literal>> clauses;
    for_each_violation(graph, solver.rank(), [&](const Polygraph::Read& read, Vertex other) {
      std::vector<Literal>& clause = clauses.emplace_back(1, solver.before(read.reader, other));
      if (read.writer != Polygraph::kInitial) clause.push_back(solver.before(other, read.writer));
    });
    for (const std::vector<Literal>& clause : clauses) solver.add_clause(clause);
    row.clauses += clauses.size();
    if (row.clauses == before) {
      row.answer = "order";
      return;
    }
    if (!solver.solve()) {
      row.answer = "impossible";
      return;
    }
  }
}

void note(const OrderSolver& solver, Row& row) {
  row.conflicts = solver.statistics().conflicts;
  row.visited = solver.statistics().vertices_visited;
}

void note(const CadicalOrderSolver& solver, Row& row) {
  row.conflicts = solver.cycles();
  row.visited = solver.vertices_visited();
}

template <class Solver>
Row run(const Polygraph& graph, int seconds) {
  Row row;
  Budget budget = Budget::until(Budget::Clock::now() + std::chrono::seconds(seconds));
  const std::clock_t before = std::clock();
  Solver solver(graph.known, graph.start, budget);
  try {
    solve_in_rounds(solver, graph, row);
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
  PolygraphSize size;
};

constexpr Case kCases[] = {
    {"large 10k, near", {10'000, 20, 10'000, 8, 20, 0}},
    {"large 100k, near", {100'000, 20, 10'000, 8, 20, 0}},
    {"large 1M, near", {1'000'000, 20, 10'000, 8, 20, 0}},
    {"large 10k, far", {10'000, 20, 10'000, 8, 1000, 0}},
    {"large 100k, far", {100'000, 20, 10'000, 8, 1000, 0}},
    {"large 100k, impossible", {100'000, 20, 10'000, 8, 20, 1}},
    {"hard 50, 5 keys", {50, 0, 5, 4, 50, 0}},
    {"hard 100, 5 keys", {100, 0, 5, 4, 100, 0}},
    {"hard 100, 20 keys", {100, 0, 20, 4, 100, 0}},
    {"hard 200, 10 keys", {200, 0, 10, 4, 200, 0}},
    {"hard 500, 10 keys", {500, 0, 10, 4, 500, 0}},
    {"hard 500, 50 keys", {500, 0, 50, 4, 500, 0}},
    {"hard 1000, 100 keys", {1000, 0, 100, 4, 1000, 0}},
    {"hard 50, 5 keys, impossible", {50, 0, 5, 4, 50, 1}},
    {"hard 100, 5 keys, impossible", {100, 0, 5, 4, 100, 1}},
    {"hard 200, 10 keys, impossible", {200, 0, 10, 4, 200, 1}},
    {"hard 500, 50 keys, impossible", {500, 0, 50, 4, 500, 1}},
    {"hard 1000, 100 keys, impossible", {1000, 0, 100, 4, 1000, 1}},
};

}  // namespace

int main(int argc, char** argv) {
  const int seconds = argc > 1 ? std::atoi(argv[1]) : 60;
  const std::string_view pattern = argc > 2 ? argv[2] : "";
  fmt::print("{:<34} {:<12} {:<10} {:>9} {:>6} {:>9} {:>9} {:>11}\n", "instance", "solver", "answer", "cpu s",
             "rounds", "clauses", "conflicts", "visited");
  for (const Case& each : kCases) {
    if (std::string_view(each.name).find(pattern) == std::string_view::npos) continue;
    Budget unlimited = Budget::unlimited();
    const Polygraph graph = make_polygraph(each.size, 1, unlimited);
    print(each.name, "OrderSolver", run<OrderSolver>(graph, seconds));
    print(each.name, "CaDiCaL", run<CadicalOrderSolver>(graph, seconds));
  }
  return 0;
}
