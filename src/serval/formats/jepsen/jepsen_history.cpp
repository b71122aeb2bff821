#include "serval/formats/jepsen/jepsen_history.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "serval/formats/forms/form_cursor.h"

namespace serval {
namespace {

constexpr const char* kSupported =
    "Serval reads transactions of r, w and append, and single registers with read, write and cas";

Outcome outcome_of(EntryType type) {
  if (type == EntryType::Ok) return Outcome::Committed;
  return type == EntryType::Fail ? Outcome::Aborted : Outcome::Indeterminate;
}

[[noreturn]] void unsupported_value(const JepsenOperation& operation) {
  if (operation.form == JepsenValueForm::Other)
    throw FormProblem{operation.value_at, fmt::format("this is {}; {}", operation.value_problem, kSupported)};
  if (operation.form == JepsenValueForm::Map)
    throw FormProblem{operation.value_at, fmt::format("this is a map; {}", kSupported)};
  const char* const at = operation.value_at != nullptr ? operation.value_at : operation.at;
  throw FormProblem{at,
                    fmt::format("this is not a value that {} can have; {}",
                                operation.f.empty() ? "a transaction" : ":f :" + operation.f, kSupported)};
}

}  // namespace

bool JepsenHistory::is_client(const JepsenOperation& operation) {
  if (operation.process.is_nil()) {
    if (processes_seen_)
      throw FormProblem{operation.at, "this operation has no :process, but others before it have one"};
    absent_processes_seen_ = true;
    return true;
  }
  if (!is_client_process(operation.process, builder_.values())) {
    ++others_skipped_;
    return false;
  }
  if (absent_processes_seen_)
    throw FormProblem{operation.process_at, "this operation has a :process, but others before it have none"};
  processes_seen_ = true;
  return true;
}

void JepsenHistory::note_index(const JepsenOperation& operation) {
  label_ = operation.index.value_or(position_);
  if (index_seen_ && label_ <= last_index_) indexes_ascend_ = false;
  index_seen_ = true;
  last_index_ = label_;
}

// The time of an :info does not say when the transaction took effect, so it may be absent.
void JepsenHistory::note_time(const JepsenOperation& operation) {
  if (!times_usable_ || operation.type == EntryType::Info) return;
  if (operation.time.value_or(-1) <= last_time_) {
    times_usable_ = false;
    times_ = Times();
    return;
  }
  last_time_ = *operation.time;
}

void JepsenHistory::add(JepsenOperation& operation) {
  ++position_;
  if (!is_client(operation)) return;
  require_type(operation);
  note_index(operation);
  note_time(operation);
  interpret(operation);
  Process& process = processes_[operation.process];
  if (operation.type == EntryType::Invoke) {
    invoke(operation, process);
  } else {
    complete(operation, process);
  }
}

void JepsenHistory::reserve_after(double share) {
  constexpr double kMargin = 1.05;
  const auto whole = [share](std::size_t count) {
    return static_cast<std::size_t>(static_cast<double>(count) / share * kMargin);
  };
  const std::size_t transactions = whole(builder_.transaction_count());
  builder_.reserve(transactions, whole(builder_.operation_count()));
  if (invocations_seen_) positions_.reserve(transactions);
  if (invocations_seen_ && times_usable_) times_.reserve(transactions);
}

// Stores what the operation did, or was asked to do, in operations_.
void JepsenHistory::interpret(JepsenOperation& operation) {
  constexpr std::array<std::string_view, 6> known{"", "txn", "read", "write", "cas", "init"};
  if (std::ranges::find(known, operation.f) == known.end())
    throw FormProblem{operation.f_at,
                      fmt::format(":f :{} is not a transaction over keys; {}", operation.f, kSupported)};
  operations_.clear();
  names_operations_ = false;
  if (operation.form == JepsenValueForm::MicroOperations && operation.f != "cas") {
    operations_.swap(operation.micro_operations);
    predicates_.swap(operation.predicates);
    names_operations_ = true;
  } else if (operation.f == "init") {
    interpret_init(operation);
  } else if (!operation.f.empty() && operation.f != "txn") {
    interpret_register(operation);
  } else if (operation.type == EntryType::Invoke || operation.type == EntryType::Ok) {
    unsupported_value(operation);
  }
  if (operation.type == EntryType::Fail || operation.type == EntryType::Info) {
    for (JepsenMicroOperation& micro : operations_)
      if (micro.kind == OperationKind::Read && micro.value.is_nil()) micro.value = Value::unknown();
  }
}

// :init {x 1, y 2} of the closed-predicate workload: a transaction that writes all of it.
void JepsenHistory::interpret_init(const JepsenOperation& operation) {
  if (operation.form != JepsenValueForm::Map) unsupported_value(operation);
  for (std::size_t i = 0; i + 1 < operation.parts.size(); i += 2)
    operations_.push_back(
        {.kind = OperationKind::Write, .key = operation.parts[i], .value = operation.parts[i + 1]});
  names_operations_ = true;
}

// :read v, :write v, :cas [old new], and each with a key: [k v], [k [old new]].
void JepsenHistory::interpret_register(const JepsenOperation& operation) {
  const bool reads = operation.f == "read", compares = operation.f == "cas";
  const std::vector<Value>& parts = operation.parts;
  const bool scalar = operation.form == JepsenValueForm::Scalar;
  const bool nothing = operation.form == JepsenValueForm::Absent || (scalar && parts[0].is_nil());
  // A completion may omit the value of its invocation; an :info or :fail often has a reason instead
  // (:timed-out).
  const bool answers = operation.type == EntryType::Ok && (reads || !nothing);
  if (operation.type != EntryType::Invoke && !answers && is_running(operation.process)) return;

  const bool plain = compares ? operation.form == JepsenValueForm::Parts && parts.size() == 2
                              : scalar || operation.form == JepsenValueForm::Absent;
  const bool keyed = compares ? operation.form == JepsenValueForm::KeyedParts && parts.size() == 3
                              : operation.form == JepsenValueForm::Parts && parts.size() == 2;
  if (!(plain || keyed) || (!reads && nothing)) unsupported_value(operation);
  JepsenMicroOperation micro;
  micro.kind = reads ? OperationKind::Read : compares ? OperationKind::CompareAndSet : OperationKind::Write;
  micro.key = keyed ? parts[0] : builder_.values().text("register");
  if (!parts.empty()) micro.value = parts.back();
  if (compares) micro.expected = parts[parts.size() - 2];
  operations_.push_back(micro);
  names_operations_ = true;
}

bool JepsenHistory::is_running(Value process) const {
  const auto found = processes_.find(process);
  return found != processes_.end() && found->second.running;
}

void JepsenHistory::invoke(const JepsenOperation& operation, Process& process) {
  if (lone_completions_seen_)
    throw FormProblem{operation.at,
                      "an invocation, after completions that have none; keep all invocations or none"};
  if (process.running)
    throw FormProblem{operation.at,
                      fmt::format("process {} invokes this while its operation {} has not completed",
                                  builder_.values().format(operation.process), process.label)};
  invocations_seen_ = true;
  if (process.crashed) ++went_on_after_info_;
  process.running = true;
  process.crashed = false;
  process.label = label_;
  process.position = {position_, kUnknownEnd};
  process.time = {last_time_, kUnknownEnd};
  process.node = operation.node;
  process.asked.swap(operations_);
  std::erase_if(process.asked, [](const auto& micro) { return micro.kind == OperationKind::PredicateRead; });
  for (JepsenMicroOperation& micro : process.asked) {  // An invocation cannot know what it will read.
    if (micro.kind != OperationKind::Read && micro.kind != OperationKind::ReadList) continue;
    micro.kind = OperationKind::Read;
    micro.value = Value::unknown();
  }
}

void JepsenHistory::expect_invocation(const JepsenOperation& operation, const Process& process) {
  if (process.running) return;
  if (invocations_seen_)
    throw FormProblem{operation.at, fmt::format("process {} completes an operation that it has not invoked",
                                                builder_.values().format(operation.process))};
  lone_completions_seen_ = true;
}

void JepsenHistory::complete(const JepsenOperation& operation, Process& process) {
  expect_invocation(operation, process);
  if (!names_operations_ && !process.running) unsupported_value(operation);
  const Outcome outcome = outcome_of(operation.type);
  const TransactionId t =
      begin(operation.process, label_, outcome, names_operations_ ? operations_ : process.asked);
  const std::string& node = operation.node.empty() ? process.node : operation.node;
  if (!node.empty() || !operation.error.empty())
    builder_.set_hints(t, {.node = node, .error = operation.error});
  const bool ended = outcome != Outcome::Indeterminate;
  if (process.running) {
    positions_.push_back({process.position.begin, ended ? position_ : kUnknownEnd});
    if (times_usable_) times_.push_back({process.time.begin, ended ? last_time_ : kUnknownEnd});
  }
  process.running = false;
  process.crashed = operation.type == EntryType::Info;
  process.asked.clear();
  process.node.clear();
}

TransactionId JepsenHistory::begin(Value process, std::int64_t label, Outcome outcome,
                                   const std::vector<JepsenMicroOperation>& operations) {
  const auto number = static_cast<std::int64_t>(builder_.transaction_count());
  const SessionId session = builder_.session(process.is_nil() ? Value::integer(number) : process);
  const TransactionId t = builder_.begin_transaction(session, builder_.values().integer(label));
  builder_.set_outcome(t, outcome);
  for (const JepsenMicroOperation& micro : operations) {
    if (micro.kind == OperationKind::Append || micro.kind == OperationKind::ReadList) lists_seen_ = true;
    if (micro.kind == OperationKind::PredicateRead) {
      add_predicate_read(t, predicates_[micro.predicate]);
      continue;
    }
    const KeyId key = builder_.key(micro.key);
    if (micro.kind != OperationKind::CompareAndSet) {
      builder_.add(t, micro.kind, key, micro.value);
    } else {
      builder_.add(
          t, Operation{.kind = micro.kind, .key = key, .value = micro.value, .expected = micro.expected});
    }
  }
  return t;
}

// A predicate read without a result constrains nothing, so it is left out.
void JepsenHistory::add_predicate_read(TransactionId t, const JepsenPredicate& asked) {
  if (!asked.answered) return;
  Operation read{.kind = OperationKind::PredicateRead, .predicate = builder_.predicate(asked.tree)};
  for (const auto& [key, value] : asked.rows) read.rows.push_back({builder_.key(key), value});
  builder_.add(t, read);
}

// Adds the invocations without a completion, in file order.
void JepsenHistory::add_dangling() {
  std::vector<std::pair<std::int64_t, Value>> running;
  for (const auto& [name, process] : processes_)
    if (process.running) running.emplace_back(process.position.begin, name);
  std::ranges::sort(running);
  for (const auto& [at, name] : running) {
    const Process& process = processes_[name];
    const TransactionId t = begin(name, process.label, Outcome::Indeterminate, process.asked);
    positions_.push_back(process.position);
    if (times_usable_) times_.push_back(process.time);
    if (!process.node.empty()) builder_.set_hints(t, {.node = process.node});
  }
  dangling_ = running.size();
}

void JepsenHistory::set_times() {
  const Times& chosen = times_usable_ ? times_ : positions_;
  for (std::size_t t = 0; t < chosen.size(); ++t)
    builder_.set_interval(TransactionId{static_cast<std::uint32_t>(t)}, chosen[t]);
}

History JepsenHistory::finish(const Notice& notice) && {
  add_dangling();
  if (invocations_seen_) set_times();
  if (lists_seen_) builder_.treat_empty_reads_as_lists();
  if (notice) tell_notices(notice);
  return std::move(builder_).freeze();
}

void JepsenHistory::tell_notices(const Notice& notice) const {
  if (others_skipped_ > 0)
    notice(fmt::format("skipped {} operations whose :process is not an integer (nemesis and the like)",
                       others_skipped_));
  if (absent_processes_seen_)
    notice("no operation has a :process: every transaction became a separate session");
  if (dangling_ > 0) notice(fmt::format("{} invocations never completed: taken as indeterminate", dangling_));
  if (went_on_after_info_ > 0)
    notice(fmt::format("{} times a process continued after :info: its session continues, too",
                       went_on_after_info_));
  if (!indexes_ascend_) notice("the :index fields do not ascend: the order of the file counts");
  if (lone_completions_seen_) notice("completions only, no invocations: real-time order is not known");
  if (invocations_seen_)
    notice(times_usable_ ? "real-time order is taken from :time"
                         : "real-time order is taken from the order of the file (:time is absent or does not "
                           "ascend)");
}

}  // namespace serval
