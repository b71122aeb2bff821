#include "model_flags.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

#include <fmt/format.h>

#include "choices.h"
#include "quantities.h"
#include "serval/base/error.h"
#include "serval/base/nearest_names.h"

namespace serval::cli {
namespace {

struct GivenFlag {
  std::string_view name;
  bool given;
};

std::array<GivenFlag, 6> given_flags(const ModelFlags& flags) {
  return {{{"--total-amount", !flags.total_amount.empty()},
           {"--allow-negative-balances", flags.allow_negative_balances},
           {"--group-size", !flags.group_size.empty()},
           {"--no-stale-reads", flags.no_stale_reads},
           {"--initial", !flags.initial.empty()},
           {"--failed-cas", !flags.failed_cas.empty()}}};
}

bool takes(const ModelInfo& row, std::string_view flag) {
  return std::ranges::any_of(row.parameters, [&](std::string_view parameter) {
    return parameter.substr(0, parameter.find(' ')) == flag;
  });
}

std::int64_t parse_integer(std::string_view flag, std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size())
    throw UsageError(fmt::format("{} takes an integer, not \"{}\"", flag, text));
  return number;
}

}  // namespace

void declare_model_flags(Arguments& arguments, ModelFlags& flags) {
  arguments.option("-m,--model", flags.model, "Check against a model instead of a level (serval models)",
                   "NAME");
  arguments.option("--total-amount", flags.total_amount, "bank: sum of all balances [that of the first read]",
                   "N");
  arguments.flag("--allow-negative-balances", flags.allow_negative_balances,
                 "bank: balances may be below zero");
  arguments.option("--group-size", flags.group_size,
                   "long-fork: number of keys per read [that of the first read]", "N");
  arguments.flag("--no-stale-reads", flags.no_stale_reads, "set-full: a stale read is a violation");
  arguments.option("--initial", flags.initial, "cas-register, multi-register: initial value [nil]", "VALUE");
  arguments.option("--failed-cas", flags.failed_cas,
                   "cas-register: what a failed cas implies: nothing, or that the value differed [nothing]",
                   "nothing|mismatch");
}

const ModelInfo& model_row(const std::string& name) {
  if (const std::optional<Model> model = model_named(name)) return info(*model);
  std::vector<std::string_view> names;
  for (const ModelInfo& row : all_models()) names.push_back(row.name);
  const std::vector<std::string_view> near = nearest_names(name, names);
  throw UsageError(fmt::format("there is no model \"{}\"", name),
                   near.empty() ? "serval models lists them all" : did_you_mean(name, near));
}

std::optional<Model> choose_model(const ModelFlags& flags) {
  const ModelInfo* row = flags.model.empty() ? nullptr : &model_row(flags.model);
  for (const auto& [name, given] : given_flags(flags)) {
    if (!given || (row != nullptr && takes(*row, name))) continue;
    if (row == nullptr)
      throw UsageError(fmt::format("{} needs a --model", name), "serval models lists them all");
    throw UsageError(fmt::format("the model {} has no {}", row->name, name),
                     fmt::format("serval models {} shows its flags", row->name));
  }
  return row == nullptr ? std::nullopt : std::optional(row->model);
}

ModelOptions model_options(const ModelFlags& flags) {
  static constexpr std::array<std::string_view, 2> kFailedCas{"nothing", "mismatch"};
  ModelOptions options;
  if (!flags.total_amount.empty()) options.total_amount = parse_integer("--total-amount", flags.total_amount);
  if (flags.allow_negative_balances) options.negative_balances = NegativeBalances::Allowed;
  if (!flags.group_size.empty()) options.group_size = parse_count("--group-size", flags.group_size);
  if (flags.no_stale_reads) options.stale_reads = StaleReads::Forbidden;
  options.initial = flags.initial;
  if (!flags.failed_cas.empty())
    options.failed_cas = static_cast<FailedCas>(choose("--failed-cas", flags.failed_cas, kFailedCas));
  return options;
}

}  // namespace serval::cli
