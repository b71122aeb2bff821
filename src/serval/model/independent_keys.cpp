#include "serval/model/independent_keys.h"

#include <algorithm>

namespace serval {
namespace {

bool is_pair(const FormValue& term) { return is_list(term) && term.parts.size() == 2; }

bool is_keyed(const ClientHistory& history, const ClientOperation& operation) {
  const FormValue& argument = *operation.argument;
  if (!is_pair(argument)) return false;
  const std::string_view function = history.function(operation);
  if (function == "cas") return is_pair(argument.parts[1]);
  if (function != "read") return true;
  if (!argument.parts[1].is_nil()) return false;
  return !operation.ok() || (is_pair(*operation.result) &&
                             history.value(operation.result->parts[0]) == history.value(argument.parts[0]));
}

}  // namespace

bool has_independent_keys(const ClientHistory& history) {
  const auto keyed = [&](const ClientOperation& operation) { return is_keyed(history, operation); };
  const auto tells = [&](const ClientOperation& operation) { return history.function(operation) != "write"; };
  return std::ranges::any_of(history.operations(), tells) && std::ranges::all_of(history.operations(), keyed);
}

}  // namespace serval
