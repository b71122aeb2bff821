#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "serval/workload/tpcc/rows.h"

namespace serval::tpcc {
namespace {

// Sums over the rows of a district.
struct DistrictTotals {
  std::int64_t ytd = 0, next_order = 0, paid = 0;
  std::uint64_t last_order = 0;
  std::int64_t lines_entered = 0, lines = 0;
  std::set<std::uint64_t> waiting, undelivered;  // Numbers of orders: by the new orders, by the orders.
};

struct Totals {
  std::vector<Warehouse> warehouses;
  std::vector<DistrictTotals> districts;
};

Totals add_up(const Sizes& sizes, FinalState& state) {
  Totals totals{{}, std::vector<DistrictTotals>(sizes.districts())};
  for (std::uint64_t key = 0; key < sizes.warehouses; ++key) {
    const std::optional<Answer::Row> row = state.row(kWarehouse, key);
    totals.warehouses.push_back(row ? row_in<Warehouse>(*row) : Warehouse{});
  }
  for (const Answer::Row& row : state.first_rows(kDistrict, sizes.districts())) {
    const auto district = row_in<District>(row);
    totals.districts.at(row.key).ytd = district.ytd;
    totals.districts.at(row.key).next_order = district.next_order;
  }
  for (const Answer::Row& row : state.all_rows(kOrder)) {
    const auto order = row_in<Order>(row);
    DistrictTotals& district = totals.districts.at(district_of_order(row.key));
    district.last_order = std::max(district.last_order, order_number(row.key));
    district.lines_entered += order.lines;
    if (order.carrier == 0) district.undelivered.insert(order_number(row.key));
  }
  for (const Answer::Row& row : state.all_rows(kNewOrder))
    totals.districts.at(district_of_order(row.key)).waiting.insert(order_number(row.key));
  for (const Answer::Row& row : state.all_rows(kOrderLine))
    ++totals.districts.at(district_of_line(row.key)).lines;
  for (const Answer::Row& row : state.all_rows(kHistory)) {
    const auto paid = row_in<History>(row);
    totals.districts.at(static_cast<std::size_t>(paid.district)).paid += paid.amount;
  }
  return totals;
}

class Conditions {
 public:
  explicit Conditions(const Totals& totals) : totals_(totals) {}

  std::vector<std::string> broken() && {
    for (std::size_t w = 0; w < totals_.warehouses.size(); ++w) check_warehouse(w);
    for (std::size_t d = 0; d < totals_.districts.size(); ++d) {
      check_orders(d, totals_.districts[d]);
      check_payments(d, totals_.districts[d]);
    }
    return std::move(broken_);
  }

 private:
  template <class... Parts>
  void require(bool holds, fmt::format_string<Parts...> problem, Parts&&... parts) {
    if (!holds) broken_.push_back(fmt::format(problem, std::forward<Parts>(parts)...));
  }

  void check_warehouse(std::size_t w) {
    std::int64_t districts = 0, paid = 0;
    for (std::size_t d = w * kDistrictsPerWarehouse; d < (w + 1) * kDistrictsPerWarehouse; ++d) {
      districts += totals_.districts[d].ytd;
      paid += totals_.districts[d].paid;
    }
    const std::int64_t ytd = totals_.warehouses[w].ytd;
    require(ytd == districts, "condition 1: warehouse {} has w_ytd {}, its districts {}", w, ytd, districts);
    const std::int64_t expected = kWarehouseYtd + paid;
    require(ytd == expected, "condition 8: warehouse {} has w_ytd {}, its history {}", w, ytd, expected);
  }

  void check_orders(std::size_t d, const DistrictTotals& totals) {
    const auto last = static_cast<std::int64_t>(totals.last_order);
    require(totals.next_order - 1 == last,
            "condition 2: district {} has d_next_o_id {}, its last order is {}", d, totals.next_order, last);
    if (!totals.waiting.empty()) {
      const std::uint64_t oldest = *totals.waiting.begin(), newest = *totals.waiting.rbegin();
      require(newest == totals.last_order, "condition 2: district {} has new order {}, its last order is {}",
              d, newest, last);
      require(newest - oldest + 1 == totals.waiting.size(),
              "condition 3: district {} has {} new orders from {} to {}", d, totals.waiting.size(), oldest,
              newest);
    }
    require(totals.lines_entered == totals.lines, "condition 4: orders of district {} have {} lines, not {}",
            d, totals.lines, totals.lines_entered);
    require(totals.undelivered == totals.waiting,
            "condition 5: district {} has {} orders without a carrier, {} new orders", d,
            totals.undelivered.size(), totals.waiting.size());
  }

  void check_payments(std::size_t d, const DistrictTotals& totals) {
    const std::int64_t expected = kDistrictYtd + totals.paid;
    require(totals.ytd == expected, "condition 9: district {} has d_ytd {}, its history {}", d, totals.ytd,
            expected);
  }

  const Totals& totals_;
  std::vector<std::string> broken_;
};

}  // namespace

std::vector<std::string> broken_conditions(const Sizes& sizes, FinalState& state) {
  const Totals totals = add_up(sizes, state);
  return Conditions(totals).broken();
}

}  // namespace serval::tpcc
