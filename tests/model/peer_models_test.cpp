#include <fstream>
#include <iostream>
#include <map>
#include <sstream>

#include <gtest/gtest.h>

#include "model/model_verdicts.h"
#include "sample.h"
#include "skip_without.h"

// Histories of elle-cli, Knossos and Porcupine with their published verdicts.

namespace serval {
namespace {

const std::string kFolder = std::string(SERVAL_DATA_DIR) + "/elle/";

struct Row {
  std::string path;
  Model model;
  bool valid;
  ModelOptions options;
};

const std::map<std::string, Model, std::less<>>& workloads() {
  static const std::map<std::string, Model, std::less<>> kWorkloads{
      {"bank", Model::Bank},
      {"counter", Model::Counter},
      {"set", Model::Set},
      {"set-full", Model::SetFull},
      {"long-fork", Model::LongFork},
      {"comments", Model::Comments},
      {"cas-register", Model::CasRegister},
      {"mutex", Model::Mutex},
      {"multi-register", Model::MultiRegister},
      {"kv", Model::KeyValue},
  };
  return kWorkloads;
}

// Where Serval deliberately differs.
struct Difference {
  std::string_view path;
  ModelVerdict ours;
  std::string_view reason;
};
constexpr Difference kDifferences[] = {
    {"elle-cli/histories/jepsen/counter.edn", ModelVerdict::Unknown, "no read at all: nothing was judged"},
    {"elle-cli/histories/jepsen/counter.json", ModelVerdict::Unknown, "no read at all: nothing was judged"},
};

ModelVerdict expected(const Row& row) {
  for (const Difference& difference : kDifferences)
    if (difference.path == row.path) return difference.ours;
  return row.valid ? ModelVerdict::Valid : ModelVerdict::Violation;
}

std::vector<Row> rows() {
  std::ifstream file(kFolder + "INDEX.tsv");
  std::vector<Row> out;
  for (std::string line; std::getline(file, line);) {
    std::istringstream cells(line);
    std::vector<std::string> row;
    for (std::string cell; std::getline(cells, cell, '\t');) row.push_back(cell);
    const auto model = workloads().find(row.at(3).substr(0, row.at(3).find(' ')));
    if (model == workloads().end()) continue;
    const bool valid = row.at(5) == "valid" || row.at(5) == "linearizable";
    out.push_back({row[0], model->second, valid, {}});
    if (model->second == Model::LongFork) out.back().options.group_size = 3;
    if (model->second == Model::MultiRegister) out.back().options.initial = "0";
  }
  return out;
}

TEST(PeerModels, VerdictsOfElleCliKnossosAndPorcupineAreConfirmed) {
  SKIP_WITHOUT_CORPORA();
  const std::vector<Row> all = rows();
  ASSERT_FALSE(all.empty());
  std::map<std::string_view, std::size_t> confirmed;
  std::size_t unproved = 0;
  const std::uint64_t step = number_from_environment("SERVAL_UNIVERSE_STEP", 1);
  for (std::size_t i = 0; i < all.size(); i += step) {
    const Row& row = all[i];
    SCOPED_TRACE(row.path);
    const ClientHistory history(read_jepsen_log(kFolder + row.path));
    const ModelResult result = check_model(row.model, history, row.options);
    EXPECT_EQ(result.verdict, expected(row));
    const ModelProof proof = verify_model(row.model, history, row.options, result);
    EXPECT_EQ(proof.flaw, std::nullopt);
    unproved += proof.complete ? 0 : 1;
    ++confirmed[info(row.model).name];
  }
  std::cout << unproved << " violations too large for the plain search of the referee\n";
  for (const auto& [name, count] : confirmed) std::cout << name << ": " << count << " verdicts\n";
}

}  // namespace
}  // namespace serval
