#include "serval/workload/parameters.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "serval/base/contract.h"
#include "serval/base/error.h"
#include "serval/base/nearest_names.h"

namespace serval {
namespace {

// The position in the text, for errors.
struct Spelling {
  std::string_view kind;
  std::string_view whole;

  [[noreturn]] void fail(std::string_view part, const std::string& problem, std::string hint = {}) const {
    const auto column = static_cast<std::uint64_t>(part.data() - whole.data()) + 1;
    throw InputError({std::string(kind), 1, column}, problem, std::string(whole), std::move(hint));
  }
};

template <class Row>
const Row& find_row(const Spelling& spelling, std::string_view what, std::string_view name,
                    std::span<const Row> rows) {
  const auto found = std::ranges::find(rows, name, &Row::name);
  if (found != rows.end()) return *found;
  std::vector<std::string_view> names;
  for (const Row& row : rows) names.push_back(row.name);
  spelling.fail(name, fmt::format("there is no {} \"{}\"", what, name),
                names.empty() ? "it has no parameters" : did_you_mean(name, names));
}

std::string describe_range(const ParameterInfo& info) {
  const std::string_view number = info.number == ParameterInfo::Number::Whole ? "a whole number" : "a number";
  return fmt::format("expected {} from {} to {}", number, info.least, info.greatest);
}

double parse_number(const Spelling& spelling, std::string_view text, const ParameterInfo& info) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = error == std::errc{} && end == text.data() + text.size() && std::isfinite(number);
  const bool in_range = is_number && number >= info.least && number <= info.greatest;
  const bool right_kind = info.number == ParameterInfo::Number::Real || number == std::floor(number);
  if (!in_range || !right_kind)
    spelling.fail(text, fmt::format("bad value \"{}\" for {}", text, info.name), describe_range(info));
  return number;
}

void parse_assignment(const Spelling& spelling, std::string_view assignment,
                      std::span<const ParameterInfo> infos, Parameters& parameters) {
  const std::size_t equals = assignment.find('=');
  const std::string_view name = assignment.substr(0, equals);
  const ParameterInfo& info = find_row(spelling, "parameter", name, infos);
  if (equals == std::string_view::npos)
    spelling.fail(assignment, fmt::format("{} has no value", name), fmt::format("{}=...", name));
  parameters.set(info.name, parse_number(spelling, assignment.substr(equals + 1), info));
}

}  // namespace

Parameters::Parameters(std::span<const ParameterInfo> infos) {
  for (const ParameterInfo& info : infos) values_[info.name] = info.default_value;
}

double Parameters::operator[](std::string_view name) const {
  const auto found = values_.find(name);
  expects(found != values_.end(), "the row has this parameter");
  return found->second;
}

std::size_t Parameters::whole(std::string_view name) const { return static_cast<std::size_t>((*this)[name]); }

Choice parse_choice(std::string_view kind, std::string_view spec, std::span<const ChoiceInfo> table) {
  const Spelling spelling{kind, spec};
  const std::size_t colon = spec.find(':');
  const ChoiceInfo& row = find_row(spelling, kind, spec.substr(0, colon), table);
  Choice choice{static_cast<std::size_t>(&row - table.data()), Parameters(row.parameters)};
  std::string_view rest = colon == std::string_view::npos ? std::string_view{} : spec.substr(colon + 1);
  while (!rest.empty()) {
    const std::size_t comma = rest.find(',');
    parse_assignment(spelling, rest.substr(0, comma), row.parameters, choice.parameters);
    rest = comma == std::string_view::npos ? std::string_view{} : rest.substr(comma + 1);
  }
  return choice;
}

}  // namespace serval
