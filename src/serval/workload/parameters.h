#pragma once
// Choices by name with numeric parameters: "general:operations=8,reads=0.5". A table lists the names and
// their parameters; parse_choice() looks a text up in such a table.
//
//   const Choice choice = parse_choice("workload", "general:operations=8", table);
//   choice.row == 1; choice.parameters["operations"] == 8
//
// Throws InputError whose file is the kind of choice ("workload"), whose column points into the text and
// whose hint is the nearest name.

#include <cstddef>
#include <map>
#include <span>
#include <string_view>

namespace serval {

struct ParameterInfo {
  std::string_view name;
  std::string_view description;  // One line.
  double default_value;
  double least, greatest;  // Both allowed.
  enum class Number { Real, Whole } number = Number::Whole;
};
constexpr auto kReal = ParameterInfo::Number::Real;

struct ChoiceInfo {
  std::string_view name;
  std::span<const ParameterInfo> parameters;
};

// The value of every parameter of the chosen row, given or default.
class Parameters {
 public:
  explicit Parameters(std::span<const ParameterInfo> infos);
  double operator[](std::string_view name) const;  // Requires a parameter of the row.
  std::size_t whole(std::string_view name) const;  // The same, for whole numbers.
  void set(std::string_view name, double value) { values_[name] = value; }

 private:
  std::map<std::string_view, double> values_;
};

struct Choice {
  std::size_t row;
  Parameters parameters;
};

[[nodiscard]] Choice parse_choice(std::string_view kind, std::string_view spec,
                                  std::span<const ChoiceInfo> table);

}  // namespace serval
