#include "expected_order.h"

#include <fstream>
#include <sstream>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "serval/base/error.h"

namespace serval::cli {
namespace {

using Names = std::unordered_map<std::string, std::vector<TransactionId>>;

// By label, and by session and label.
Names names_of(const History& history) {
  Names names;
  for (const TransactionId t : history.transactions()) {
    const std::string label = history.spell(history.label(t));
    names[label].push_back(t);
    names[history.spell(history.session_label(history.session(t))) + " " + label].push_back(t);
  }
  return names;
}

// Words, with one blank between them, up to a comment.
std::string tidied(const std::string& line) {
  std::istringstream words(line.substr(0, line.find('#')));
  std::string out, word;
  while (words >> word) out += (out.empty() ? "" : " ") + word;
  return out;
}

std::vector<TransactionId> read_order(const std::string& path, const History& history) {
  std::ifstream file(path);
  if (!file)
    throw InputError({path, 0, 0}, "cannot read the expected order", {}, "a file, timestamps or completion");
  const Names names = names_of(history);
  std::vector<TransactionId> order;
  std::string line;
  for (std::uint64_t number = 1; std::getline(file, line); ++number) {
    const std::string name = tidied(line);
    if (name.empty()) continue;
    const auto found = names.find(name);
    if (found == names.end())
      throw InputError({path, number, 1}, fmt::format("no transaction is called \"{}\"", name));
    if (found->second.size() > 1)
      throw InputError({path, number, 1},
                       fmt::format("{} transactions are called \"{}\"", found->second.size(), name), {},
                       "its session and its label: \"1 42\"");
    order.push_back(found->second.front());
  }
  return order;
}

}  // namespace

ExpectedOrderChoice choose_expected_order(const std::string& flag, const History& history) {
  if (flag.empty() || flag == "timestamps") return {};
  if (flag == "completion") return {.source = ExpectedOrderSource::Completion};
  return {.source = ExpectedOrderSource::Given, .given = read_order(flag, history)};
}

}  // namespace serval::cli
