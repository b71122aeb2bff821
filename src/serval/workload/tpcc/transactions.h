#pragma once
// TPC-C's five transactions (clauses 2.4 to 2.8), each with the input that its terminal generated before
// it began.

#include <cstdint>
#include <vector>

#include "serval/workload/dialogue.h"
#include "serval/workload/tpcc/rows.h"

namespace serval::tpcc {

// By number, or by last name: then the middle one of those with that name.
struct CustomerChoice {
  std::uint64_t district = 0;
  std::uint64_t number = 0;  // Of the customer, or of the name.
  bool by_name = false;
};

struct NewOrderInput {
  struct Line {
    std::uint64_t item = 0, supplier = 0;
    std::int64_t quantity = 0;
  };
  std::uint64_t district = 0, customer = 0;
  std::vector<Line> lines;  // One in a hundred orders ends with an item that does not exist.
};

struct PaymentInput {
  std::uint64_t district = 0;
  CustomerChoice customer;
  std::int64_t amount = 0;
  std::uint64_t history = 0;  // Key of the row to insert.
};

Dialogue new_order(Sizes sizes, NewOrderInput input);
Dialogue payment(Sizes sizes, PaymentInput input);
Dialogue order_status(Sizes sizes, CustomerChoice customer);
Dialogue delivery(std::uint64_t warehouse, std::int64_t carrier);
Dialogue stock_level(Sizes sizes, std::uint64_t district_key, std::int64_t threshold);

}  // namespace serval::tpcc
