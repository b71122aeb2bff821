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
JsonValue ask(ChildProcess& program, const std::string& line) {
  const std::string answer = program.ask(line);
  try {
    return read_exec_answer(answer);
  } catch (...) {
    program.kill();
    throw;
  }
}

class ExecClient final : public Client {
 public:
  ExecClient(std::unique_ptr<ChildProcess> program, Schema schema)
      : program_(std::move(program)), schema_(std::move(schema)) {}

  void begin() override { exchange(R"({"do":"begin"})", Outcome::Aborted); }

  Answer perform(const Request& request) override {
    Answer answer = answer_of(exchange(format_request(request, schema_), Outcome::Aborted));
    answer_aggregate(request, answer);
    return answer;
  }

  Outcome commit() override {
    hints_ = {};
    const JsonValue answer = exchange(R"({"do":"commit"})", Outcome::Indeterminate);
    hints_ = hints_of(answer);
    return outcome_of(answer);
  }

  void roll_back() override {
    hints_ = {};
    try {
      exchange(R"({"do":"roll_back"})", Outcome::Aborted);
    } catch (const TransactionFailure&) {  // A lost rollback still takes effect.
    }
  }

  TransactionHints hints() const override { return hints_; }

 private:
  // `when_lost`: the outcome if the program ends instead of responding.
  JsonValue exchange(const std::string& line, Outcome when_lost) {
    const bool was_there = program_->is_alive();
    try {
      JsonValue answer = ask(*program_, line);
      throw_if_error(answer, when_lost);
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
    JsonValue greeting;
    control_ = start("null", greeting);
    const JsonValue& told = greeting["facts"];
    for (std::size_t i = 0; i < told.names.size(); ++i) facts_[told.names[i]] = told.items[i].text;
  }

  // Without the command, which may contain a password.
  std::map<std::string, std::string> facts() override {
    std::map<std::string, std::string> out = facts_;
    out.emplace("database", "exec");
    out["isolation"] = isolation_;
    return out;
  }

  void create(const Schema& schema) override {
    const std::lock_guard lock(mutex_);
    order(fmt::format(R"({{"do":"create","tables":{}}})", format_tables(schema)));
    schema_ = schema;
  }

  void drop() override {
    const std::lock_guard lock(mutex_);
    order(fmt::format(R"({{"do":"drop","tables":{}}})", format_tables(schema_)));
  }

  std::unique_ptr<Client> connect(std::uint32_t session) override {
    const std::lock_guard lock(mutex_);
    JsonValue ignored;
    return std::make_unique<ExecClient>(start(std::to_string(session), ignored), schema_);
  }

 private:
  // Starts a program and sends the greeting; its response goes to `answer`.
  std::unique_ptr<ChildProcess> start(const std::string& session, JsonValue& answer) {
    try {
      auto program = std::make_unique<ChildProcess>(command_, patience_);
      answer = ask(*program,
                   fmt::format(R"({{"do":"hello","protocol":1,"session":{},"isolation":{},"tables":{}}})",
                               session, json_string(isolation_), format_tables(schema_)));
      refuse_error(answer);
      return program;
    } catch (const ChildLost& lost) {
      throw DatabaseError(
          lost.what(), "check that the command runs on its own and responds to a line on its standard input");
    }
  }

  void order(const std::string& line) {
    try {
      refuse_error(ask(*control_, line));
    } catch (const ChildLost& lost) {
      throw DatabaseError(lost.what());
    }
  }

  static void refuse_error(const JsonValue& answer) {
    try {
      throw_if_error(answer, Outcome::Aborted);
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
