// The driver of etcd, over the JSON gateway of its members.

#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "serval/base/error.h"
#include "serval/database/address.h"
#include "serval/database/drivers.h"
#include "serval/database/etcd/base64.h"
#include "serval/database/etcd/etcd_client.h"
#include "serval/database/key_value/stored_value.h"

namespace serval {
namespace {

using Sending = EtcdGateway::Sending;

constexpr std::size_t kBatch = 100;  // Rows of one transaction while tables are made; etcd allows 128.

class EtcdDatabase final : public Database {
 public:
  EtcdDatabase(std::vector<std::string> endpoints, std::string isolation)
      : endpoints_(std::move(endpoints)), isolation_(std::move(isolation)), control_(endpoints_.front()) {
    version_ = order("/v3/maintenance/status", "{}")["version"].text;
  }

  std::map<std::string, std::string> facts() override {
    std::string nodes;
    for (const std::string& endpoint : endpoints_) nodes += (nodes.empty() ? "" : ",") + endpoint;
    return {{"database", "etcd"}, {"version", version_}, {"isolation", isolation_}, {"nodes", nodes}};
  }

  void create(const Schema& schema) override {
    drop();
    std::string puts;
    std::size_t count = 0;
    const auto flush = [&] {
      if (count > 0) order("/v3/kv/txn", fmt::format(R"({{"success":[{}]}})", puts));
      puts.clear();
      count = 0;
    };
    for_each_initial_row(schema, [&](const std::string& key, const std::string& row) {
      puts += fmt::format(R"({}{{"request_put":{{"key":"{}","value":"{}"}}}})", count == 0 ? "" : ",",
                          encode_base64(key), encode_base64(row));
      if (++count == kBatch) flush();
    });
    flush();
    const std::lock_guard lock(mutex_);
    tables_ = KeyValueTables(schema);
  }

  void drop() override {
    order("/v3/kv/deleterange", fmt::format(R"({{"key":"{}","range_end":"{}"}})", encode_base64("serval_"),
                                            encode_base64("serval`")));  // The letter after the underscore.
  }

  std::unique_ptr<Client> connect(std::uint32_t session) override {
    const std::string& endpoint = endpoints_[session % endpoints_.size()];
    const auto reads = isolation_ == "stale" ? EtcdClient::Reads::Stale : EtcdClient::Reads::Fresh;
    std::unique_lock lock(mutex_);
    auto client = std::make_unique<EtcdClient>(endpoint, reads, tables_);
    lock.unlock();
    client->greet();
    return client;
  }

 private:
  JsonValue order(const std::string& path, const std::string& body) {
    try {
      const std::lock_guard lock(mutex_);
      return control_.post(path, body, Sending::PerhapsTwice);
    } catch (const EtcdFailure& failure) {
      throw DatabaseError(fmt::format("etcd: {}", failure.what()));
    }
  }

  std::vector<std::string> endpoints_;
  std::string isolation_, version_;
  std::mutex mutex_;  // Guards what follows.
  EtcdGateway control_;
  KeyValueTables tables_;
};

void add_endpoints(std::string_view list, std::vector<std::string>& out) {
  while (!list.empty()) {
    std::string_view one = list.substr(0, list.find(','));
    list.remove_prefix(std::min(one.size() + 1, list.size()));
    while (one.ends_with('/')) one.remove_suffix(1);
    if (one.empty() || one.find_first_of("/ @") != std::string_view::npos)
      throw InputError({}, fmt::format("\"{}\" is not HOST:PORT", one));
    out.emplace_back(one);
  }
}

}  // namespace

std::unique_ptr<Database> open_etcd(std::string_view address, const DatabaseOptions& options) {
  std::vector<std::string> endpoints;
  add_endpoints(read_address(address, {}).place, endpoints);
  for (const std::string& node : options.nodes) {
    const std::size_t slashes = node.find("://");
    add_endpoints(slashes == std::string::npos ? node : node.substr(slashes + 3), endpoints);
  }
  if (endpoints.empty())
    throw InputError({}, "etcd needs the address of a member", {}, "etcd://127.0.0.1:2379");
  return std::make_unique<EtcdDatabase>(std::move(endpoints), options.isolation);
}

}  // namespace serval
