#include "serval/workload/tpcc/transactions.h"

#include <algorithm>
#include <optional>
#include <set>

namespace serval::tpcc {
namespace {

constexpr std::uint64_t kRecentOrders = 20;

Request find_customer(const Sizes& sizes, const CustomerChoice& choice) {
  if (!choice.by_name) return ask::read(kCustomer, sizes.customer_key(choice.district, choice.number));
  const std::uint64_t first = choice.number * kCustomersPerName;
  const std::uint64_t last = std::min(first + kCustomersPerName, sizes.customers) - 1;
  return ask::scan(kCustomer, ask::keys(sizes.customer_key(choice.district, first),
                                        sizes.customer_key(choice.district, last)));
}

std::optional<Answer::Row> middle(Answer answer) {
  if (answer.rows.empty()) return std::nullopt;
  std::ranges::sort(answer.rows, {}, &Answer::Row::key);
  return answer.rows[(answer.rows.size() - 1) / 2];
}

bool is_local(const NewOrderInput& input) {
  return std::ranges::all_of(input.lines, [&](const NewOrderInput::Line& line) {
    return line.supplier == warehouse_of(input.district);
  });
}

// Clause 2.4.2.2: if fewer than ten would be left, 91 are added to the stock.
Stock after_sale(Stock stock, std::int64_t quantity, bool remote) {
  stock.quantity -= quantity;
  if (stock.quantity < 10) stock.quantity += 91;
  stock.ytd += quantity;
  ++stock.orders;
  if (remote) ++stock.remote_orders;
  return stock;
}

std::int64_t sum_of_amounts(const Answer& lines) {
  std::int64_t sum = 0;
  for (const Answer::Row& row : lines.rows) sum += row_in<OrderLine>(row).amount;
  return sum;
}

}  // namespace

Dialogue new_order(Sizes sizes, NewOrderInput input) {
  const std::uint64_t warehouse = warehouse_of(input.district);
  const std::uint64_t customer = sizes.customer_key(input.district, input.customer);
  co_await ask::read(kWarehouse, warehouse);
  auto district = row_in<District>(co_await ask::read(kDistrict, input.district));
  const auto order = static_cast<std::uint64_t>(district.next_order++);
  co_await ask::write(kDistrict, input.district, columns_of(district));
  co_await ask::read(kCustomer, customer);

  const Order entered{static_cast<std::int64_t>(customer), 0, static_cast<std::int64_t>(input.lines.size()),
                      is_local(input) ? 1 : 0};
  const Answer fresh = co_await ask::insert(kOrder, order_key(input.district, order), columns_of(entered));
  if (!fresh.applied)
    co_return Ending::Abort;  // Duplicate primary key: another transaction used the same number.
  co_await ask::insert(kNewOrder, order_key(input.district, order));
  std::uint64_t number = 0;
  for (const NewOrderInput::Line& line : input.lines) {
    const Answer item = co_await ask::read(kItem, line.item);
    if (item.rows.empty()) co_return Ending::Abort;
    const std::uint64_t stock_key = sizes.stock_key(line.supplier, line.item);
    const auto stock = row_in<Stock>(co_await ask::read(kStock, stock_key));
    const bool remote = line.supplier != warehouse;
    co_await ask::write(kStock, stock_key, columns_of(after_sale(stock, line.quantity, remote)));
    const OrderLine sold{static_cast<std::int64_t>(line.item), static_cast<std::int64_t>(line.supplier),
                         line.quantity, line.quantity * row_in<Item>(item).price};
    co_await ask::insert(kOrderLine, line_key(input.district, order, ++number), columns_of(sold));
  }
  co_return Ending::Commit;
}

Dialogue payment(Sizes sizes, PaymentInput input) {
  const std::uint64_t warehouse_key = warehouse_of(input.district);
  auto warehouse = row_in<Warehouse>(co_await ask::read(kWarehouse, warehouse_key));
  warehouse.ytd += input.amount;
  co_await ask::write(kWarehouse, warehouse_key, columns_of(warehouse));
  auto district = row_in<District>(co_await ask::read(kDistrict, input.district));
  district.ytd += input.amount;
  co_await ask::write(kDistrict, input.district, columns_of(district));

  const std::optional<Answer::Row> found = middle(co_await find_customer(sizes, input.customer));
  if (!found) co_return Ending::Abort;
  auto customer = row_in<Customer>(*found);
  customer.balance -= input.amount;
  customer.ytd_payment += input.amount;
  ++customer.payments;
  co_await ask::write(kCustomer, found->key, columns_of(customer));
  const History paid{static_cast<std::int64_t>(found->key), static_cast<std::int64_t>(input.district),
                     input.amount};
  co_await ask::insert(kHistory, input.history, columns_of(paid));
  co_return Ending::Commit;
}

Dialogue order_status(Sizes sizes, CustomerChoice customer) {
  const std::optional<Answer::Row> found = middle(co_await find_customer(sizes, customer));
  if (!found) co_return Ending::Commit;
  const auto number = static_cast<std::int64_t>(found->key);
  const Answer orders = co_await ask::scan(kOrder, ask::equal_to(number, kOrderCustomer));
  if (orders.rows.empty()) co_return Ending::Commit;
  const std::uint64_t last = std::ranges::max_element(orders.rows, {}, &Answer::Row::key)->key;
  const std::uint64_t order = order_number(last);
  co_await ask::scan(kOrderLine, lines_of_orders(customer.district, order, order));
  co_return Ending::Commit;
}

// The oldest order of every district. The tag of the write serves as the delivery time of the lines.
Dialogue delivery(std::uint64_t warehouse, std::int64_t carrier) {
  for (std::uint64_t i = 0; i < kDistrictsPerWarehouse; ++i) {
    const std::uint64_t district = warehouse * kDistrictsPerWarehouse + i;
    const Answer waiting = co_await ask::scan(kNewOrder, orders_of_district(district));
    if (waiting.rows.empty()) continue;
    const std::uint64_t key = std::ranges::min_element(waiting.rows, {}, &Answer::Row::key)->key;
    const Answer taken = co_await ask::remove(kNewOrder, key);
    if (!taken.applied) continue;
    auto order = row_in<Order>(co_await ask::read(kOrder, key));
    order.carrier = carrier;
    co_await ask::write(kOrder, key, columns_of(order));
    const ask::Range lines = lines_of_orders(district, order_number(key), order_number(key));
    const std::int64_t sum = sum_of_amounts(co_await ask::scan(kOrderLine, lines));
    co_await ask::update_range(kOrderLine, lines);
    const auto customer_key = static_cast<std::uint64_t>(order.customer);
    auto customer = row_in<Customer>(co_await ask::read(kCustomer, customer_key));
    customer.balance += sum;
    ++customer.deliveries;
    co_await ask::write(kCustomer, customer_key, columns_of(customer));
  }
  co_return Ending::Commit;
}

// How many of the recently sold items are running out.
Dialogue stock_level(Sizes sizes, std::uint64_t district_key, std::int64_t threshold) {
  const auto district = row_in<District>(co_await ask::read(kDistrict, district_key));
  const auto next = static_cast<std::uint64_t>(district.next_order);
  if (next <= 1) co_return Ending::Commit;
  const std::uint64_t first = next > kRecentOrders ? next - kRecentOrders : 1;
  const Answer lines = co_await ask::scan(kOrderLine, lines_of_orders(district_key, first, next - 1));
  std::set<std::int64_t> items;
  for (const Answer::Row& row : lines.rows) items.insert(row_in<OrderLine>(row).item);
  std::int64_t low = 0;
  for (const std::int64_t item : items) {
    const std::uint64_t key = sizes.stock_key(warehouse_of(district_key), static_cast<std::uint64_t>(item));
    if (row_in<Stock>(co_await ask::read(kStock, key)).quantity < threshold) ++low;
  }
  co_return Ending::Commit;
}

}  // namespace serval::tpcc
