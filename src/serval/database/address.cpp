#include "serval/database/address.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "serval/base/error.h"
#include "serval/base/nearest_names.h"

namespace serval {

AddressParts read_address(std::string_view address, std::initializer_list<std::string_view> known) {
  const std::size_t colon = address.find(':');
  std::string_view rest = colon == std::string_view::npos ? std::string_view{} : address.substr(colon + 1);
  const std::size_t mark = rest.find('?');
  AddressParts parts;
  std::string_view place = rest.substr(0, mark);
  if (place.starts_with("//")) place.remove_prefix(2);
  parts.place = place;
  rest = mark == std::string_view::npos ? std::string_view{} : rest.substr(mark + 1);
  while (!rest.empty()) {
    const std::string_view pair = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(pair.size() + 1, rest.size()));
    const std::size_t equals = pair.find('=');
    const std::string name(pair.substr(0, equals));
    if (std::ranges::find(known, name) == known.end())
      throw InputError({}, fmt::format("the address has an unknown option \"{}\"", name), {},
                       did_you_mean(name, std::vector<std::string_view>(known)));
    if (equals == std::string_view::npos)
      throw InputError({}, fmt::format("the option \"{}\" of the address needs a value", name));
    parts.options[name] = pair.substr(equals + 1);
  }
  return parts;
}

}  // namespace serval
