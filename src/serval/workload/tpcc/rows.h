#pragma once
// TPC-C's nine tables (Standard Specification 5.11, clause 1.3) in whole numbers: money in cents, rates in
// hundredths of a percent, no texts. Columns that no transaction computes with or searches by are left out.
//
// Keys of tables with initial rows are dense; keys of tables that grow have bit fields:
//   warehouse   w                                 from 0
//   district    w * 10 + d                        d from 0; "district" below
//   customer    district * customers + c          neighbours of three share a last name
//   item        i                                 from 0
//   stock       w * items + i
//   order       district << 32 | o                o from 1
//   new order   the key of its order
//   order line  district << 36 | o << 4 | line    line from 1 to 15
//   history     a running number

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "serval/base/contract.h"
#include "serval/workload/ask.h"
#include "serval/workload/final_state.h"

namespace serval::tpcc {

enum Table : std::uint32_t {
  kWarehouse,
  kDistrict,
  kCustomer,
  kHistory,
  kOrder,
  kNewOrder,
  kOrderLine,
  kItem,
  kStock,
};

// Members in the order of the table's columns.
struct Warehouse {
  std::int64_t ytd, tax;
};
struct District {
  std::int64_t ytd, next_order, tax;
};
struct Customer {
  std::int64_t balance, ytd_payment, payments, deliveries, discount;
};
struct History {
  std::int64_t customer, district, amount;
};
struct Order {
  std::int64_t customer, carrier, lines, all_local;  // Carrier 0: not delivered.
};
struct OrderLine {
  std::int64_t item, supplier, quantity, amount;
};
struct Item {
  std::int64_t price;
};
struct Stock {
  std::int64_t quantity, ytd, orders, remote_orders;
};

inline constexpr std::uint32_t kOrderCustomer = 0;  // The column of Order that it is searched by.

template <class Row>
constexpr std::size_t kColumns = sizeof(Row) / sizeof(std::int64_t);

template <class Row>
Row row_in(const Answer::Row& row) {
  std::array<std::int64_t, kColumns<Row>> numbers{};
  expects(row.columns.size() == numbers.size(), "all columns of the table");
  std::ranges::copy(row.columns, numbers.begin());
  return std::bit_cast<Row>(numbers);
}
// All zero if the row is missing; the consistency conditions find the consequences.
template <class Row>
Row row_in(const Answer& answer) {
  return answer.rows.empty() ? Row{} : row_in<Row>(answer.rows.front());
}
template <class Row>
ask::Columns columns_of(const Row& row) {
  const auto numbers = std::bit_cast<std::array<std::int64_t, kColumns<Row>>>(row);
  return {numbers.begin(), numbers.end()};
}

inline constexpr std::uint64_t kDistrictsPerWarehouse = 10;
inline constexpr std::uint64_t kCustomersPerName = 3;
inline constexpr std::uint64_t kMostLines = 15;
inline constexpr std::int64_t kDistrictYtd = 30'000'00;
inline constexpr std::int64_t kWarehouseYtd =
    static_cast<std::int64_t>(kDistrictsPerWarehouse) * kDistrictYtd;

struct Sizes {
  std::uint64_t warehouses = 1, customers = 0, items = 0;  // Customers of a district.

  std::uint64_t districts() const { return warehouses * kDistrictsPerWarehouse; }
  std::uint64_t customer_key(std::uint64_t district, std::uint64_t customer) const {
    return district * customers + customer;
  }
  std::uint64_t stock_key(std::uint64_t warehouse, std::uint64_t item) const {
    return warehouse * items + item;
  }
};

constexpr std::uint64_t warehouse_of(std::uint64_t district) { return district / kDistrictsPerWarehouse; }
constexpr std::uint64_t order_key(std::uint64_t district, std::uint64_t order) {
  return (district << 32) | order;
}
constexpr std::uint64_t district_of_order(std::uint64_t key) { return key >> 32; }
constexpr std::uint64_t order_number(std::uint64_t key) { return key & 0xFFFFFFFFu; }
constexpr std::uint64_t line_key(std::uint64_t district, std::uint64_t order, std::uint64_t line) {
  return (district << 36) | (order << 4) | line;
}
constexpr std::uint64_t district_of_line(std::uint64_t key) { return key >> 36; }

inline ask::Range lines_of_orders(std::uint64_t district, std::uint64_t first, std::uint64_t last) {
  return ask::keys(line_key(district, first, 0), line_key(district, last, kMostLines));
}
inline ask::Range orders_of_district(std::uint64_t district) {
  return ask::keys(order_key(district, 0), order_key(district, 0xFFFFFFFFu));
}

// TPC-C's consistency conditions (clause 3.3.2) on the final state: 1 to 4, which every implementation
// must demonstrate, and 5, 8 and 9, which follow from the same rows.
std::vector<std::string> broken_conditions(const Sizes& sizes, FinalState& state);

}  // namespace serval::tpcc
