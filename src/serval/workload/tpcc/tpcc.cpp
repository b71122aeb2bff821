// TPC-C: orders, payments and deliveries of a wholesaler. All five transactions in the mix of clause
// 5.2.3, on a smaller population.

#include <algorithm>
#include <bit>
#include <utility>

#include "serval/workload/tpcc/transactions.h"
#include "serval/workload/workloads.h"

namespace serval {
namespace tpcc {
namespace {

TableInfo full(const char* name, std::uint64_t rows, std::vector<ColumnInfo> columns) {
  return {.name = name, .initial = TableInfo::Initial::Zero, .rows = rows, .columns = std::move(columns)};
}

TableInfo empty(const char* name, std::vector<ColumnInfo> columns) {
  return {.name = name, .initial = TableInfo::Initial::Absent, .columns = std::move(columns)};
}

// Clause 4.3.3 without random numbers and past orders: each column of a full table has the same initial
// value in every row.
Schema schema_of(const Sizes& sizes) {
  return {
      full("warehouse", sizes.warehouses, {{"w_ytd", kWarehouseYtd}, {"w_tax", 10'00}}),
      full("district", sizes.districts(), {{"d_ytd", kDistrictYtd}, {"d_next_o_id", 1}, {"d_tax", 10'00}}),
      full("customer", sizes.districts() * sizes.customers,
           {{"c_balance", -10'00},
            {"c_ytd_payment", 10'00},
            {"c_payment_cnt", 1},
            {"c_delivery_cnt", 0},
            {"c_discount", 25'00}}),
      empty("history", {{"h_c_id"}, {"h_d_id"}, {"h_amount"}}),
      empty("orders", {{"o_c_id", 0, true}, {"o_carrier_id"}, {"o_ol_cnt"}, {"o_all_local"}}),
      empty("new_order", {}),
      empty("order_line", {{"ol_i_id"}, {"ol_supply_w_id"}, {"ol_quantity"}, {"ol_amount"}}),
      full("item", sizes.items, {{"i_price", 50'00}}),
      full("stock", sizes.warehouses * sizes.items,
           {{"s_quantity", 55}, {"s_ytd", 0}, {"s_order_cnt", 0}, {"s_remote_cnt", 0}})};
}

// Clause 2.1.6: or-ing two draws makes some numbers more likely than others. The mask is that of the
// specification for its own sizes (1023 for 3000 customers, 8191 for 100,000 items, 255 for 1000 names)
// and shrinks with the sizes.
std::uint64_t draw_skewed(Random& random, std::uint64_t count, std::uint64_t numbers_per_bit) {
  const std::uint64_t mask = std::bit_floor(std::max<std::uint64_t>(count / numbers_per_bit, 1)) - 1;
  return (random.below(mask + 1) | random.below(count)) % count;
}

std::int64_t between(Random& random, std::int64_t low, std::int64_t high) {
  return low + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(high - low + 1)));
}

class Tpcc final : public Generator {
 public:
  explicit Tpcc(const Parameters& parameters)
      : sizes_{parameters.whole("warehouses"), parameters.whole("customers"), parameters.whole("items")} {}

  Schema schema() const override { return schema_of(sizes_); }

  // A terminal belongs to a warehouse and serves all its districts.
  std::unique_ptr<Script> next_script(Random& random, std::uint32_t session, KnownTags&) override {
    const std::uint64_t warehouse = session % sizes_.warehouses;
    const std::uint64_t district = warehouse * kDistrictsPerWarehouse + random.below(kDistrictsPerWarehouse);
    const std::uint64_t draw = random.below(100);
    if (draw < 45) return script_of(new_order(sizes_, new_order_input(random, district)));
    if (draw < 88) return script_of(payment(sizes_, payment_input(random, district)));
    if (draw < 92) return script_of(order_status(sizes_, customer_choice(random, district)));
    if (draw < 96) return script_of(delivery(warehouse, between(random, 1, 10)));
    return script_of(stock_level(sizes_, district, between(random, 10, 20)));
  }

  std::vector<std::string> broken_invariants(FinalState& state) const override {
    return broken_conditions(sizes_, state);
  }

 private:
  std::uint64_t customer_number(Random& random) const { return draw_skewed(random, sizes_.customers, 2); }

  CustomerChoice customer_choice(Random& random, std::uint64_t district) const {
    if (!random.chance(0.6)) return {district, customer_number(random), false};
    const std::uint64_t names = (sizes_.customers + kCustomersPerName - 1) / kCustomersPerName;
    return {district, draw_skewed(random, names, 3), true};
  }

  std::uint64_t other_warehouse(Random& random, std::uint64_t warehouse) const {
    if (sizes_.warehouses == 1) return warehouse;
    return (warehouse + 1 + random.below(sizes_.warehouses - 1)) % sizes_.warehouses;
  }

  NewOrderInput new_order_input(Random& random, std::uint64_t district) const {
    NewOrderInput input{district, customer_number(random), {}};
    const std::int64_t count = between(random, 5, static_cast<std::int64_t>(kMostLines));
    for (std::int64_t i = 0; i < count; ++i) {
      const std::uint64_t home = warehouse_of(district);
      const std::uint64_t supplier = random.chance(0.01) ? other_warehouse(random, home) : home;
      input.lines.push_back({draw_skewed(random, sizes_.items, 12), supplier, between(random, 1, 10)});
    }
    // Stock in key order, so that two orders of the same items do not deadlock.
    std::ranges::sort(input.lines, {}, [this](const NewOrderInput::Line& line) {
      return sizes_.stock_key(line.supplier, line.item);
    });
    if (random.chance(0.01)) input.lines.back().item = sizes_.items;  // Clause 2.4.1.4: an unused number.
    return input;
  }

  PaymentInput payment_input(Random& random, std::uint64_t district) {
    std::uint64_t home = district;
    if (random.chance(0.15))
      home = other_warehouse(random, warehouse_of(district)) * kDistrictsPerWarehouse +
             random.below(kDistrictsPerWarehouse);
    return {district, customer_choice(random, home), between(random, 1'00, 5000'00), payments_++};
  }

  Sizes sizes_;
  std::uint64_t payments_ = 0;
};

// NOLINTNEXTLINE(performance-unnecessary-value-param): a row of the table, as all the others.
std::unique_ptr<Generator> make(const Parameters& parameters, KeyChoice) {
  return std::make_unique<Tpcc>(parameters);
}

}  // namespace
}  // namespace tpcc

WorkloadInfo tpcc_workload() {
  return {.name = "tpcc",
          .description = "TPC-C: all five transactions on nine tables, with its consistency conditions",
          .parameters = {{"warehouses", "warehouses, with ten districts each", 1, 1, 10'000},
                         {"customers", "customers per district (specification: 3000)", 300, 3, 3000},
                         {"items", "items, with stock in every warehouse (specification: 100,000)", 1000, 20,
                          100'000}},
          .make = tpcc::make,
          .data = WorkloadInfo::Data::Rows,
          .form = WorkloadInfo::Form::Scripts,
          .needs_ranges = true,
          .keys = 0,
          .invariant = "the consistency conditions of clause 3.3.2",
          .kept_at = {"snapshot-isolation", "serializable"}};
}

}  // namespace serval
