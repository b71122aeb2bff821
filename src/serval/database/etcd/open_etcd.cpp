// The driver of etcd, over the JSON gateway of its members.

#include <cstdlib>
#include <fstream>
#include <memory>
#include <mutex>
#include <utility>

#include <absl/strings/escaping.h>
#include <fmt/format.h>

#include "serval/base/error.h"
#include "serval/database/address.h"
#include "serval/database/drivers.h"
#include "serval/database/etcd/etcd_client.h"
#include "serval/database/key_value/key_value_tables.h"
#include "serval/database/passwords.h"

namespace serval {
namespace {

using Sending = EtcdGateway::Sending;

constexpr std::size_t kBatch = 100;  // Rows per transaction while tables are created; etcd allows 128.

class EtcdDatabase final : public Database {
 public:
  EtcdDatabase(std::vector<std::string> endpoints, std::string isolation, EtcdAccess access)
      : endpoints_(std::move(endpoints)),
        isolation_(std::move(isolation)),
        access_(std::move(access)),
        control_(std::make_unique<EtcdGateway>(endpoints_.front(), access_)) {
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
                          absl::Base64Escape(key), absl::Base64Escape(row));
      if (++count == kBatch) flush();
    });
    flush();
    const std::lock_guard lock(mutex_);
    tables_ = KeyValueTables(schema);
  }

  void drop() override {
    order("/v3/kv/deleterange",
          fmt::format(R"({{"key":"{}","range_end":"{}"}})", absl::Base64Escape("serval_"),
                      absl::Base64Escape("serval`")));  // The character after the underscore.
  }

  std::unique_ptr<Client> connect(std::uint32_t session) override { return reconnect(session, 0); }

  std::unique_ptr<Client> reconnect(std::uint32_t session, std::uint32_t attempt) override {
    const std::string& endpoint = endpoints_[(session + attempt) % endpoints_.size()];
    return client(endpoint, isolation_ == "stale" ? EtcdClient::Reads::Stale : EtcdClient::Reads::Fresh);
  }

  // Stale reads take their state from one revision.
  std::unique_ptr<Client> connect_observer(std::uint32_t attempt) override {
    return client(endpoints_[attempt % endpoints_.size()], EtcdClient::Reads::Stale);
  }

 private:
  std::unique_ptr<Client> client(const std::string& endpoint, EtcdClient::Reads reads) {
    std::unique_lock lock(mutex_);
    auto client = std::make_unique<EtcdClient>(endpoint, reads, tables_, access_);
    lock.unlock();
    client->greet();
    return client;
  }

  // Tries other members if one is gone. The request is idempotent.
  JsonValue order(const std::string& path, const std::string& body) {
    const std::lock_guard lock(mutex_);
    for (std::size_t attempt = 1;; ++attempt) try {
        return control_->post(path, body, Sending::PerhapsTwice);
      } catch (const EtcdFailure& failure) {
        if (failure.kind() == EtcdFailure::Kind::Refused || attempt >= endpoints_.size())
          throw DatabaseError(fmt::format("etcd: {}", failure.what()), hint_for(failure.kind()));
        control_place_ = (control_place_ + 1) % endpoints_.size();
        control_ = std::make_unique<EtcdGateway>(endpoints_[control_place_], access_);
      }
  }

  std::vector<std::string> endpoints_;
  std::string isolation_, version_;
  EtcdAccess access_;
  std::mutex mutex_;  // Guards what follows.
  std::unique_ptr<EtcdGateway> control_;
  std::size_t control_place_ = 0;  // Index of its member.
  KeyValueTables tables_;
};

void add_endpoints(std::string_view list, std::vector<std::string>& out) {
  while (!list.empty()) {
    std::string_view one = list.substr(0, list.find(','));
    list.remove_prefix(std::min(one.size() + 1, list.size()));
    while (one.ends_with('/')) one.remove_suffix(1);
    if (one.empty() || one.find_first_of("/ @?") != std::string_view::npos)
      throw InputError({}, fmt::format("\"{}\" is not HOST:PORT", without_passwords(one)));
    out.emplace_back(one);
  }
}

// From a file or the environment, as in other drivers. etcdctl uses the second name too.
std::string read_password(const Address& parts) {
  const std::string path = parts.option("passfile", "");
  if (!path.empty()) {
    std::ifstream file(path);
    std::string password;
    if (!std::getline(file, password)) throw InputError({path}, "the password cannot be read");
    return password;
  }
  for (const char* name : {"SERVAL_ETCD_PASSWORD", "ETCDCTL_PASSWORD"})
    if (const char* password = std::getenv(name)) return password;
  throw InputError({}, "no password is given for the etcd user", {},
                   "it is read from passfile=FILE, SERVAL_ETCD_PASSWORD or ETCDCTL_PASSWORD");
}

// Removes the user from the front of the place.
EtcdAccess access_of(Address& parts) {
  EtcdAccess access;
  access.ca_file = parts.option("cacert", "");
  access.certificate_file = parts.option("cert", "");
  access.key_file = parts.option("key", "");
  const std::string tls =
      parts.option("tls", access.ca_file.empty() && access.key_file.empty() ? "off" : "on");
  if (tls != "on" && tls != "off")
    throw InputError({}, fmt::format("tls cannot be \"{}\"", tls), {}, "on or off");
  access.tls = tls == "on";
  if (const std::string timeout = parts.option("timeout", ""); !timeout.empty())
    access.timeout = parse_timeout(timeout);
  const std::size_t at = parts.place.find('@');
  if (at == std::string::npos) return access;
  access.user = parts.place.substr(0, at);
  parts.place.erase(0, at + 1);
  if (access.user.find(':') != std::string::npos)
    throw InputError({}, "a password in an address is visible to other users of the machine", {},
                     "leave it out; it is read from passfile=FILE, SERVAL_ETCD_PASSWORD or ETCDCTL_PASSWORD");
  access.password = read_password(parts);
  return access;
}

}  // namespace

std::unique_ptr<Database> open_etcd(std::string_view address, const DatabaseOptions& options) {
  Address parts = read_address(address, {"tls", "cacert", "cert", "key", "passfile", "timeout"});
  EtcdAccess access = access_of(parts);
  std::vector<std::string> endpoints;
  add_endpoints(parts.place, endpoints);
  for (const std::string& node : options.nodes) {
    const std::size_t slashes = node.find("://");
    add_endpoints(slashes == std::string::npos ? node : node.substr(slashes + 3), endpoints);
  }
  if (endpoints.empty())
    throw InputError({}, "etcd needs the address of a member", {}, "etcd://127.0.0.1:2379");
  return std::make_unique<EtcdDatabase>(std::move(endpoints), options.isolation, std::move(access));
}

}  // namespace serval
