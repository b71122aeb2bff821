#include "serval/database/postgres/postgres_address.h"

#include <algorithm>
#include <array>
#include <memory>

#include <fmt/format.h>
#include <libpq-fe.h>

#include "serval/base/error.h"
#include "serval/database/address.h"

namespace serval::postgres {
namespace {

constexpr std::array<std::string_view, 4> kDialects = {"postgres", "cockroach", "yugabyte", "h2"};
constexpr std::array<std::string_view, 2> kSwitch = {"off", "on"};

struct Parts {
  std::string for_libpq;
  Address ours;
};

Parts take_apart(std::string_view address) {
  const std::size_t colon = address.find(':');
  const std::size_t mark = std::min(address.find('?'), address.size());
  Parts out;
  out.for_libpq = "postgresql" + std::string(address.substr(colon, mark - colon));
  if (!out.for_libpq.starts_with("postgresql://"))
    throw InputError({}, "addresses of PostgreSQL begin with postgres://", {},
                     "for example postgres://app@127.0.0.1:5432/bench");
  char separator = '?';
  for (const auto& [name, value] : options_of(address)) {
    if (name == "dialect" || name == "xid" || name == "timeout") {
      out.ours.options[std::string(name)] = value.value_or("");
      continue;
    }
    out.for_libpq += separator + std::string(name) + "=";
    // "options=-c lock_timeout=1s" has a second equals sign, which libpq expects as %3D.
    for (const char c : value.value_or("")) out.for_libpq += c == '=' ? "%3D" : std::string(1, c);
    separator = '&';
  }
  return out;
}

std::map<std::string, std::string> ask_libpq(const std::string& address) {
  char* problem = nullptr;
  const std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> options(
      PQconninfoParse(address.c_str(), &problem), &PQconninfoFree);
  const std::unique_ptr<char, decltype(&PQfreemem)> message(problem, &PQfreemem);
  if (!options)  // The message may repeat the address, and with it a password.
    throw InputError({}, "libpq cannot read the address", {},
                     "postgres://USER@HOST:PORT/DATABASE?OPTION=VALUE");
  std::map<std::string, std::string> out;
  for (const PQconninfoOption* option = options.get(); option->keyword != nullptr; ++option)
    if (option->val != nullptr) out[option->keyword] = option->val;
  if (out.contains("password") || out.contains("sslpassword"))
    throw InputError({}, "a password in an address is visible to other users of the machine", {},
                     "leave it out; libpq reads PGPASSWORD, ~/.pgpass, a service file, or passfile=FILE");
  return out;
}

}  // namespace

PostgresAddress parse_postgres_address(std::string_view address, const std::vector<std::string>& further) {
  const Parts parts = take_apart(address);
  PostgresAddress out;
  const std::string dialect = parts.ours.choose("dialect", kDialects);
  out.kind = static_cast<Kind>(std::ranges::find(kDialects, dialect) - kDialects.begin());
  out.asks_xid = parts.ours.choose("xid", kSwitch) == "on";
  if (const auto timeout = parts.ours.options.find("timeout"); timeout != parts.ours.options.end())
    out.timeout = parse_timeout(timeout->second);
  out.nodes.push_back(ask_libpq(parts.for_libpq));
  for (const std::string& node : further) {
    if (node.find("://") != std::string::npos) {
      out.nodes.push_back(ask_libpq(take_apart(node).for_libpq));
      continue;
    }
    const sql::Place place = sql::parse_place(node);
    out.nodes.push_back(out.nodes.front());
    out.nodes.back()["host"] = place.host;
    if (place.port != 0) out.nodes.back()["port"] = std::to_string(place.port);
  }
  return out;
}

std::string name_of_node(const std::map<std::string, std::string>& node) {
  const auto found = [&](const char* name, const char* otherwise) {
    const auto at = node.find(name);
    return at == node.end() ? otherwise : at->second.c_str();
  };
  return fmt::format("{}:{}", found("host", "localhost"), found("port", "5432"));
}

}  // namespace serval::postgres
