#include "serval/workload/tpcc/rows.h"

#include <utility>

namespace serval::tpcc {
namespace {

TableInfo full(const char* name, std::uint64_t rows, std::vector<ColumnInfo> columns) {
  return {.name = name, .initial = TableInfo::Initial::Zero, .rows = rows, .columns = std::move(columns)};
}

TableInfo empty(const char* name, std::vector<ColumnInfo> columns) {
  return {.name = name, .initial = TableInfo::Initial::Absent, .columns = std::move(columns)};
}

}  // namespace

// Clause 4.3.3 without random numbers and past orders: each column of a full table has the same initial
// value in every row.
Schema make_schema(const Sizes& sizes) {
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

}  // namespace serval::tpcc
