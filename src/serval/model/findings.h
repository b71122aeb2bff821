#pragma once
// Collects the findings of a model: counts all and keeps the first few.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "serval/model/model.h"

namespace serval {

class Findings {
 public:
  explicit Findings(const ModelOptions& options) : most_(options.max_findings) {}

  // `words` is called only for findings that are kept.
  template <class Words>
  void add(std::string_view kind, std::vector<std::uint32_t> operations, Value subject, Words&& words) {
    ++result_.counts[kind];
    if (result_.findings.size() < most_)
      result_.findings.push_back({kind, std::move(operations), subject, words()});
  }
  void count(std::string_view kind) { ++result_.counts[kind]; }
  bool full() const { return result_.findings.size() >= most_; }
  void fact(std::string_view name, std::string text) { result_.facts.emplace_back(name, std::move(text)); }
  void fact(std::string_view name, std::uint64_t number) { fact(name, std::to_string(number)); }

  // A violation if there are findings; otherwise unknown if there is a reason; otherwise valid.
  ModelResult finish(std::string reason_to_doubt) && {
    result_.verdict = !result_.counts.empty()   ? ModelVerdict::Violation
                      : reason_to_doubt.empty() ? ModelVerdict::Valid
                                                : ModelVerdict::Unknown;
    if (result_.verdict == ModelVerdict::Unknown) result_.reason = std::move(reason_to_doubt);
    return std::move(result_);
  }

 private:
  std::size_t most_;
  ModelResult result_;
};

}  // namespace serval
