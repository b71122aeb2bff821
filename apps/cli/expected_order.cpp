#include "expected_order.h"

#include <sstream>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "auxiliary_file.h"
#include "serval/base/error.h"

namespace serval::cli {
namespace {

using Names = std::unordered_map<std::string, std::vector<TransactionId>>;

// Transactions by label, and by session and label.
Names names_in(const History& history) {
  Names names;
  for (const TransactionId t : history.transactions()) {
    const std::string label = history.format(history.label(t));
    names[label].push_back(t);
    names[history.format(history.session_label(history.session(t))) + " " + label].push_back(t);
  }
  return names;
}

// The words before a comment, separated by one blank.
std::string tidied(const std::string& line) {
  std::istringstream words(line.substr(0, line.find('#')));
  std::string out, word;
  while (words >> word) out += (out.empty() ? "" : " ") + word;
  return out;
}

TransactionId find_named(const Names& names, const std::string& name, const SourcePosition& at) {
  const auto found = names.find(name);
  if (found == names.end())
    throw InputError(
        at, fmt::format("there is no transaction \"{}\"", name), {},
        "--expected-order takes timestamps, completion, or a file with one transaction per line");
  if (found->second.size() > 1)
    throw InputError(at, fmt::format("{} transactions have the label \"{}\"", found->second.size(), name), {},
                     "give its session and its label: \"1 42\"");
  return found->second.front();
}

std::vector<TransactionId> read_order(const std::string& path, const History& history, Budget& budget) {
  const Names names = names_in(history);
  std::vector<TransactionId> order;
  for_each_line(path, budget, [&](std::string_view line, std::uint64_t number) {
    const std::string name = tidied(std::string(line));
    if (!name.empty()) order.push_back(find_named(names, name, {path, number, 1}));
  });
  return order;
}

}  // namespace

ExpectedOrderChoice choose_expected_order(const std::string& flag, const History& history, Budget& budget) {
  if (flag.empty() || flag == "timestamps") return {};
  if (flag == "completion") return {.source = ExpectedOrderSource::Completion};
  return {.source = ExpectedOrderSource::Given, .given = read_order(flag, history, budget)};
}

}  // namespace serval::cli
