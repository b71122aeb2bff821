// The driver for programs that bring their own database: one process per session, and one that creates
// the tables.

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "serval/base/error.h"
#include "serval/base/json_string.h"
#include "serval/database/drivers.h"
#include "serval/database/exec/child_process.h"
#include "serval/database/exec/exec_protocol.h"
#include "serval/workload/aggregate.h"

namespace serval {
namespace {

constexpr std::string_view kPatienceVariable = "SERVAL_EXEC_TIMEOUT_MS";

std::chrono::milliseconds patience() {
  const char* const spelled = std::getenv(kPatienceVariable.data());
  int milliseconds = 10'000;
  if (spelled != nullptr) {
    const char* const end = spelled + std::strlen(spelled);
    const auto read = std::from_chars(spelled, end, milliseconds);
    if (read.ec != std::errc() || read.ptr != end || milliseconds <= 0)
      throw InputError({},
                       fmt::format("{} is \"{}\", not a number of milliseconds", kPatienceVariable, spelled));
  }
  return std::chrono::milliseconds(milliseconds);
}

// A malformed response ends the conversation, because the next line could not be attributed.
ExecAnswer ask(ChildProcess& program, const std::string& line) {
  try {
    refuse_unasked(program.unasked());
    return read_exec_answer(program.ask(line));
  } catch (const DatabaseError&) {
    program.kill();
    throw;
  }
}

class ExecClient final : public Client {
 public:
  ExecClient(std::unique_ptr<ChildProcess> program, Schema schema)
      : program_(std::move(program)), schema_(std::move(schema)) {}

  void begin() override { expect_ok(exchange("begin", R"({"do":"begin"})", Outcome::Aborted)); }

  Answer perform(const Request& request) override {
    const std::string line = format_request(request, schema_);
    Answer answer = answer_of(exchange(verb_of(request.kind), line, Outcome::Aborted), request, schema_);
    answer_aggregate(request, answer);
    return answer;
  }

  Outcome commit() override {
    hints_ = {};
    const ExecAnswer answer = exchange("commit", R"({"do":"commit"})", Outcome::Indeterminate);
    hints_ = hints_of(answer);
    return outcome_of(answer);
  }

  void roll_back() override {
    hints_ = {};
    try {
      expect_ok(exchange("roll_back", R"({"do":"roll_back"})", Outcome::Aborted));
    } catch (const TransactionFailure&) {  // A lost rollback still takes effect.
    }
  }

  TransactionHints hints() const override { return hints_; }

 private:
  // `when_lost`: the outcome if the program ends instead of responding.
  ExecAnswer exchange(std::string_view verb, const std::string& line, Outcome when_lost) {
    const bool was_there = program_->is_alive();
    try {
      ExecAnswer answer = ask(*program_, line);
      throw_if_error(answer, verb, when_lost);
      return answer;
    } catch (const ChildLost& lost) {
      throw TransactionFailure(FailureCause::ConnectionLost, was_there ? when_lost : Outcome::Aborted,
                               lost.what());
    }
  }

  std::unique_ptr<ChildProcess> program_;
  Schema schema_;
  TransactionHints hints_;
};

class ExecDatabase final : public Database {
 public:
  ExecDatabase(std::string command, std::string isolation)
      : command_(std::move(command)), isolation_(std::move(isolation)), patience_(patience()) {
    control_ = start("null", facts_);
  }

  // Without the command, which may contain a password.
  std::map<std::string, std::string> facts() override {
    std::map<std::string, std::string> out = facts_;
    out["database"] = "exec";
    out["isolation"] = isolation_;
    return out;
  }

  void create(const Schema& schema) override {
    const std::lock_guard lock(mutex_);
    order("create", fmt::format(R"({{"do":"create","tables":{}}})", format_tables(schema)));
    schema_ = schema;
  }

  void drop() override {
    const std::lock_guard lock(mutex_);
    order("drop", fmt::format(R"({{"do":"drop","tables":{}}})", format_tables(schema_)));
  }

  std::unique_ptr<Client> connect(std::uint32_t session) override {
    const std::lock_guard lock(mutex_);
    std::map<std::string, std::string> ignored;
    return std::make_unique<ExecClient>(start(std::to_string(session), ignored), schema_);
  }

 private:
  // Starts a program and sends the greeting.
  std::unique_ptr<ChildProcess> start(const std::string& session, std::map<std::string, std::string>& facts) {
    try {
      auto program = std::make_unique<ChildProcess>(command_, patience_);
      const ExecAnswer answer = ask(
          *program, fmt::format(R"({{"do":"hello","protocol":1,"session":{},"isolation":{},"tables":{}}})",
                                session, json_string(isolation_), format_tables(schema_)));
      refuse_error(answer, "hello");
      facts = facts_of(answer);
      return program;
    } catch (const ChildLost& lost) {
      throw DatabaseError(
          lost.what(), "check that the command runs on its own and responds to a line on its standard input");
    }
  }

  void order(std::string_view verb, const std::string& line) {
    try {
      const ExecAnswer answer = ask(*control_, line);
      refuse_error(answer, verb);
      expect_ok(answer);
    } catch (const ChildLost& lost) {
      throw DatabaseError(lost.what());
    }
  }

  static void refuse_error(const ExecAnswer& answer, std::string_view verb) {
    try {
      throw_if_error(answer, verb, Outcome::Aborted);
    } catch (const TransactionFailure& failure) {
      throw DatabaseError(fmt::format("the program reports an error: {}", failure.what()));
    }
  }

  std::string command_, isolation_;
  std::chrono::milliseconds patience_;
  std::map<std::string, std::string> facts_;
  std::mutex mutex_;  // Guards what follows.
  Schema schema_;
  std::unique_ptr<ChildProcess> control_;
};

}  // namespace

std::unique_ptr<Database> open_exec(std::string_view address, const DatabaseOptions& options) {
  const std::size_t colon = address.find(':');
  const std::string command(colon == std::string_view::npos ? std::string_view{} : address.substr(colon + 1));
  if (command.find_first_not_of(' ') == std::string::npos)
    throw InputError({}, "exec needs a command", {}, "exec:python3 examples/exec_driver.py /tmp/file.db");
  if (!options.nodes.empty())
    throw InputError({}, "exec has no nodes: the program knows where its database is");
  return std::make_unique<ExecDatabase>(command, options.isolation);
}

}  // namespace serval
