#include "serval/database/sql/address.h"

#include <algorithm>
#include <charconv>
#include <vector>

#include <fmt/format.h>

#include "serval/base/error.h"
#include "serval/base/nearest_names.h"

namespace serval::sql {
namespace {

std::uint16_t parse_port(std::string_view text) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc{} || end != text.data() + text.size() || port == 0)
    throw InputError({}, fmt::format("\"{}\" is not a port", text));
  return port;
}

}  // namespace

std::string Address::choose(std::string_view option, std::span<const std::string_view> allowed) const {
  const auto found = options.find(option);
  if (found == options.end()) return std::string(allowed.front());
  if (std::ranges::find(allowed, found->second) == allowed.end())
    throw InputError({}, fmt::format("{} cannot be \"{}\"", option, found->second), {},
                     did_you_mean(found->second, allowed));
  return found->second;
}

Address parse_address(std::string_view text, std::span<const std::string_view> known) {
  const std::size_t mark = std::min(text.find('?'), text.size());
  Address out{.place = std::string(text.substr(0, mark))};
  std::string_view rest = text.substr(std::min(mark + 1, text.size()));
  while (!rest.empty()) {
    const std::string_view option = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(option.size() + 1, rest.size()));
    const std::string_view name = option.substr(0, option.find('='));
    if (std::ranges::find(known, name) == known.end())
      throw InputError({}, fmt::format("no option \"{}\" in addresses of this database", name), {},
                       did_you_mean(name, known));
    out.options[std::string(name)] = option.substr(std::min(name.size() + 1, option.size()));
  }
  return out;
}

Place parse_place(std::string_view text) {
  Place out;
  if (text.find('?') != std::string_view::npos)
    throw InputError({}, "options do not follow a host", {}, "HOST, HOST:PORT, or a whole address");
  if (text.starts_with("//")) text.remove_prefix(2);
  if (const std::size_t at = text.rfind('@'); at != std::string_view::npos) {
    out.user = text.substr(0, at);
    text.remove_prefix(at + 1);
    if (out.user.find(':') != std::string::npos)
      throw InputError({}, "a password in an address is visible to other users of the machine", {},
                       "leave it out; docs/sql-databases.md says where it is read from");
  }
  if (const std::size_t slash = text.find('/'); slash != std::string_view::npos) {
    out.database = text.substr(slash + 1);
    text = text.substr(0, slash);
  }
  if (const std::size_t colon = text.rfind(':'); colon != std::string_view::npos && !text.ends_with(']')) {
    out.port = parse_port(text.substr(colon + 1));
    text = text.substr(0, colon);
  }
  if (text.starts_with('[') && text.ends_with(']')) text = text.substr(1, text.size() - 2);
  out.host = text;
  return out;
}

}  // namespace serval::sql
