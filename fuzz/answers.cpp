// What a program that brings its own database may answer (docs/drivers/exec.md).

#include "serval/database/database.h"
#include "serval/database/exec/exec_protocol.h"
#include "target.h"

namespace serval::fuzz {
namespace {

// Each throws what the driver expects, or returns.
template <typename Read>
void expect_answer_or_failure(const Read& read) {
  try {
    read();
  } catch (const DatabaseError&) {
  } catch (const TransactionFailure&) {
  }
}

}  // namespace

Target answer_target() {
  return {"answer", "a line from a program that brings its own database", [](std::string_view bytes) {
            expect_answer_or_failure([&] {
              const Schema schema{{.name = "registers", .rows = 10, .columns = {{.name = "size"}}}};
              const ExecAnswer answer = read_exec_answer(std::string(bytes));
              expect_answer_or_failure([&] { throw_if_error(answer, "read", Outcome::Indeterminate); });
              for (auto kind = Request::Kind::Read; kind <= Request::Kind::DeleteRange;
                   kind = static_cast<Request::Kind>(static_cast<int>(kind) + 1))
                expect_answer_or_failure([&] { answer_of(answer, {.kind = kind, .high = 9}, schema); });
              expect_answer_or_failure([&] { expect_ok(answer); });
              expect_answer_or_failure([&] { facts_of(answer); });
              expect_answer_or_failure([&] { outcome_of(answer); });
              expect_answer_or_failure([&] { hints_of(answer); });
            });
          }};
}

}  // namespace serval::fuzz
