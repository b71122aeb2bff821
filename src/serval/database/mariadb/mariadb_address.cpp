#include "serval/database/mariadb/mariadb_address.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "serval/base/error.h"

namespace serval::mariadb {
namespace {

constexpr std::array<std::string_view, 5> kOptions = {"snapshot", "sync_wait", "dialect", "mode", "timeout"};
constexpr std::array<std::string_view, 3> kDialects = {"mariadb", "mysql", "tidb"};
constexpr std::array<std::string_view, 3> kSnapshots = {"", "on", "off"};
constexpr std::array<std::string_view, 3> kModes = {"", "pessimistic", "optimistic"};
constexpr std::uint16_t kPort = 3306;

std::string_view after_scheme(std::string_view address) {
  const std::string_view rest = address.substr(address.find(':') + 1);
  if (!rest.starts_with("//"))
    throw InputError({}, "addresses of MariaDB begin with mariadb://", {},
                     "for example mariadb://app@127.0.0.1:3306/bench");
  return rest;
}

sql::Place checked(sql::Place place) {
  if (place.host.empty()) place.host = "127.0.0.1";
  if (place.port == 0) place.port = kPort;
  if (place.database.empty())
    throw InputError({}, "the address has no database name", {},
                     "for example mariadb://app@127.0.0.1:3306/bench");
  return place;
}

}  // namespace

MariadbAddress parse_mariadb_address(std::string_view address, const std::vector<std::string>& further) {
  const Address parsed = sql::parse_address(after_scheme(address), kOptions);
  MariadbAddress out;
  out.kind = static_cast<Kind>(std::ranges::find(kDialects, parsed.choose("dialect", kDialects)) -
                               kDialects.begin());
  out.mode = static_cast<TidbMode>(std::ranges::find(kModes, parsed.choose("mode", kModes)) - kModes.begin());
  if (out.mode != TidbMode::OfServer && out.kind != Kind::Tidb)
    throw InputError({}, "mode= chooses between the transaction modes of TiDB", {},
                     "add dialect=tidb, or leave out mode");
  out.snapshot = parsed.choose("snapshot", kSnapshots);
  if (const auto wait = parsed.options.find("sync_wait"); wait != parsed.options.end())
    out.sync_wait = wait->second;
  if (const auto timeout = parsed.options.find("timeout"); timeout != parsed.options.end())
    out.timeout = parse_timeout(timeout->second);
  if (!std::ranges::all_of(out.sync_wait, [](char c) { return c >= '0' && c <= '9'; }))
    throw InputError({}, fmt::format("sync_wait cannot be \"{}\"", out.sync_wait), {}, "a number, 0 to 15");
  out.nodes.push_back(checked(sql::parse_place(parsed.place)));
  for (const std::string& node : further) {
    if (node.find("://") != std::string::npos) {
      out.nodes.push_back(checked(sql::parse_place(sql::parse_address(after_scheme(node), kOptions).place)));
      continue;
    }
    const sql::Place place = sql::parse_place(node);
    out.nodes.push_back(out.nodes.front());
    out.nodes.back().host = place.host;
    if (place.port != 0) out.nodes.back().port = place.port;
  }
  return out;
}

std::string name_of_node(const sql::Place& node) { return fmt::format("{}:{}", node.host, node.port); }

}  // namespace serval::mariadb
