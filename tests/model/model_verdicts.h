#pragma once
// From a few lines of EDN to a verdict whose evidence was re-proved.

#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "serval/formats/jepsen/jepsen_log.h"
#include "serval/model/verify_model.h"

namespace serval {

inline ClientHistory client_history(std::string edn) {
  ByteStream stream = ByteStream::from_memory("test.edn", std::move(edn));
  return ClientHistory(read_jepsen_log(stream, {.format = Format::JepsenEdn}));
}

inline ModelResult proved(Model model, const ClientHistory& history, const ModelOptions& options = {}) {
  ModelResult result = check_model(model, history, options);
  const ModelProof proof = verify_model(model, history, options, result);
  EXPECT_EQ(proof.flaw, std::nullopt);
  EXPECT_TRUE(proof.complete);
  return result;
}

// "invoke 0 add 1" becomes {:type :invoke, :process 0, :f :add, :value 1}. Lines are separated by
// newlines or semicolons.
inline std::string edn_of(const std::string& lines) {
  std::string out;
  std::size_t at = 0;
  while (at < lines.size()) {
    const std::size_t end = std::min(lines.find_first_of(";\n", at), lines.size());
    std::string line = lines.substr(at, end - at);
    at = end + 1;
    line.erase(0, std::min(line.find_first_not_of(' '), line.size()));
    if (line.empty()) continue;
    const std::size_t process = line.find(' ') + 1, f = line.find(' ', process) + 1;
    const std::size_t value = std::min(line.find(' ', f), line.size());
    out += "{:type :" + line.substr(0, process - 1) + ", :process " + line.substr(process, f - 1 - process) +
           ", :f :" + line.substr(f, value - f) + ", :value " +
           (value == line.size() ? "nil" : line.substr(value)) + "}\n";
  }
  return out.empty() ? "[]" : out;
}

inline ModelResult judge(Model model, const std::string& lines, const ModelOptions& options = {}) {
  return proved(model, client_history(edn_of(lines)), options);
}

// "valid", "unknown", or the kinds of findings with their counts: "lost 2, unexpected 1".
inline std::string verdict(const ModelResult& result) {
  if (result.verdict == ModelVerdict::Valid) return "valid";
  if (result.verdict == ModelVerdict::Unknown) return "unknown";
  std::string out;
  for (const auto& [kind, count] : result.counts)
    out += (out.empty() ? "" : ", ") + std::string(kind) + " " + std::to_string(count);
  return out;
}

inline std::string verdict(Model model, const std::string& lines, const ModelOptions& options = {}) {
  return verdict(judge(model, lines, options));
}

}  // namespace serval
