#include "serval/database/address.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "serval/base/error.h"
#include "serval/base/nearest_names.h"

namespace serval {
namespace {

std::uint16_t parse_port(std::string_view text) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc{} || end != text.data() + text.size() || port == 0)
    throw InputError({}, fmt::format("\"{}\" is not a port", text));
  return port;
}

}  // namespace

std::string Address::choose(std::string_view name, std::span<const std::string_view> allowed) const {
  const auto found = options.find(name);
  if (found == options.end()) return std::string(allowed.front());
  if (std::ranges::find(allowed, found->second) == allowed.end())
    throw InputError({}, fmt::format("{} cannot be \"{}\"", name, found->second), {},
                     did_you_mean(found->second, allowed));
  return found->second;
}

std::vector<std::pair<std::string_view, std::optional<std::string_view>>> options_of(
    std::string_view address) {
  std::vector<std::pair<std::string_view, std::optional<std::string_view>>> out;
  const std::size_t mark = std::min(address.find('?'), address.size());
  std::string_view rest = address.substr(std::min(mark + 1, address.size()));
  while (!rest.empty()) {
    const std::string_view option = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(option.size() + 1, rest.size()));
    const std::size_t equals = option.find('=');
    out.emplace_back(option.substr(0, equals), std::nullopt);
    if (equals != std::string_view::npos) out.back().second = option.substr(equals + 1);
  }
  return out;
}

Address read_address(std::string_view address, std::initializer_list<std::string_view> known) {
  std::string_view place = address.substr(0, address.find('?'));
  place.remove_prefix(std::min(place.find(':') + 1, place.size()));
  if (place.starts_with("//")) place.remove_prefix(2);
  Address out{.place = std::string(place)};
  for (const auto& [name, value] : options_of(address)) {
    if (std::ranges::find(known, name) == known.end())
      throw InputError({}, fmt::format("the address has an unknown option \"{}\"", name), {},
                       did_you_mean(name, std::vector<std::string_view>(known)));
    if (!value) throw InputError({}, fmt::format("the option \"{}\" of the address needs a value", name));
    out.options[std::string(name)] = *value;
  }
  return out;
}

std::chrono::milliseconds parse_timeout(std::string_view text) {
  constexpr std::int64_t kDay = 86'400'000;
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [unit, error] = std::from_chars(text.data(), end, number);
  const std::string_view spelled(unit, static_cast<std::size_t>(end - unit));
  const std::int64_t factor = spelled == "ms" ? 1 : spelled == "s" ? 1000 : spelled == "m" ? 60'000 : 0;
  if (error != std::errc{} || factor == 0 || number <= 0 || number > kDay / factor)
    throw InputError({}, fmt::format("timeout cannot be \"{}\"", text), {}, "for example 500ms, 5s or 2m");
  return std::chrono::milliseconds(number * factor);
}

namespace sql {

Address parse_address(std::string_view text, std::span<const std::string_view> known) {
  Address out{.place = std::string(text.substr(0, text.find('?')))};
  for (const auto& [name, value] : options_of(text)) {
    if (std::ranges::find(known, name) == known.end())
      throw InputError({}, fmt::format("no option \"{}\" in addresses of this database", name), {},
                       did_you_mean(name, known));
    out.options[std::string(name)] = value.value_or("");
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

}  // namespace sql
}  // namespace serval
