#pragma once
// What is fed with arbitrary bytes: every reader, and what comes after it. A target takes any bytes
// whatsoever; it returns, or it has found a bug. Exceptions of the outside world (InputError and the like)
// are caught inside.
//
//   find_target("read-edn")->run("{:type :ok, :process 0}");
//
// `scripts/fuzz` feeds them with clang's libFuzzer, tests/fuzz with the inputs that once failed.

#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace serval::fuzz {

// Two answers that contradict each other. Other bugs show as BrokenContract or by a sanitizer.
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
const Target* find_target(std::string_view name);  // Null where there is none.

// Of each file.
std::vector<Target> reader_targets();  // read-FORMAT for each format, and read: whatever it looks like.
Target version_order_target();         // Cobra's *.vo.
Target certificate_target();           // Lines of a certificate after a fixed history.
Target predicate_target();             // The language of predicates.
Target sql_target();                   // SQL, by PostgreSQL's grammar.
Target stream_target();                // Lines as `serval watch` takes them in.
Target model_target();                 // Operations for models.
Target folder_target();                // Folders of Cobra and Leopard.
Target answer_target();                // Answers of programs that bring their own database.

}  // namespace serval::fuzz
