#pragma once
// Targets for arbitrary bytes: every reader, and what is done with its result. A target accepts any
// bytes. It returns, or it has found a bug. Exceptions for bad input (InputError and the like) are
// caught inside.
//
//   find_target("read-edn")->run("{:type :ok, :process 0}");
//
// `scripts/fuzz` runs the targets with clang's libFuzzer, tests/fuzz runs them on the inputs that once
// failed.

#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace serval::fuzz {

// Two answers that contradict each other. Other bugs appear as BrokenContract or are found by a
// sanitizer.
class Defect : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

struct Target {
  std::string name;
  std::string summary;  // One line.
  std::function<void(std::string_view bytes)> run;
};

std::span<const Target> all_targets();
const Target* find_target(std::string_view name);  // Null if there is none.

// The targets of each file.
std::vector<Target> reader_targets();  // read-FORMAT for each format, and read, which detects it.
Target version_order_target();         // Cobra's *.vo.
Target certificate_target();           // Lines of a certificate after a fixed history.
Target predicate_target();             // The language of predicates.
Target sql_target();                   // SQL, by PostgreSQL's grammar.
Target stream_target();                // Lines as `serval watch` receives them.
Target model_target();                 // Operations for models.
Target folder_target();                // Folders of Cobra and Leopard.
Target profile_target();               // Profiles of databases.
Target answer_target();                // Answers of programs that bring their own database.

}  // namespace serval::fuzz
