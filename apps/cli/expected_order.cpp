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

// An order as it is read: every committed transaction once, and no aborted one.
class OrderFile {
 public:
  OrderFile(const std::string& path, const History& history)
      : path_(path), history_(history), names_(names_in(history)), lines_(history.transaction_count(), 0) {}

  std::vector<TransactionId> read(Budget& budget) && {
    std::uint64_t last = 0;
    for_each_line(path_, budget, [&](std::string_view line, std::uint64_t number) {
      last = number;
      const std::string name = tidied(std::string(line));
      if (!name.empty()) place(name, number);
    });
    for (const TransactionId t : history_.transactions())
      if (history_.outcome(t) == Outcome::Committed && lines_[t.index] == 0)
        throw InputError({path_, last + 1, 1},
                         fmt::format("the order ends without \"{}\", which committed", name_of(t)), {},
                         "list every committed transaction once");
    return std::move(order_);
  }

 private:
  void place(const std::string& name, std::uint64_t number) {
    const SourcePosition at{path_, number, 1};
    const TransactionId t = find_named(names_, name, at);
    if (lines_[t.index] != 0)
      throw InputError(at, fmt::format("\"{}\" is listed twice, first on line {}", name, lines_[t.index]), {},
                       "list every committed transaction once");
    if (history_.outcome(t) == Outcome::Aborted)
      throw InputError(at, fmt::format("\"{}\" aborted, so it has no place in the order", name), {},
                       "remove the line");
    lines_[t.index] = number;
    order_.push_back(t);
  }

  // As find_named accepts it.
  std::string name_of(TransactionId t) const {
    const std::string label = history_.format(history_.label(t));
    if (names_.at(label).size() == 1) return label;
    return history_.format(history_.session_label(history_.session(t))) + " " + label;
  }

  const std::string& path_;
  const History& history_;
  Names names_;
  std::vector<std::uint64_t> lines_;  // By transaction: where it is listed; 0: nowhere yet.
  std::vector<TransactionId> order_;
};

}  // namespace

ExpectedOrderChoice choose_expected_order(const std::string& flag, const History& history, Budget& budget) {
  constexpr auto kRequired = ExpectedOrderChoice::Role::Required;
  if (flag.empty()) return {};
  if (flag == "timestamps") return {.source = ExpectedOrderSource::Timestamps, .role = kRequired};
  if (flag == "completion") return {.source = ExpectedOrderSource::Completion, .role = kRequired};
  return {.source = ExpectedOrderSource::Given,
          .given = OrderFile(flag, history).read(budget),
          .role = kRequired};
}

}  // namespace serval::cli
