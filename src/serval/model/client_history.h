#pragma once
// What clients did to a system under test, operation by operation: each invocation with its completion.
// The input of every model. Built from the entries of a Jepsen file, ignoring processes that are not
// clients (nemesis).
//
//   0 :invoke :read nil          one operation: process 0 read 3, between positions 0 and 2
//   1 :invoke :write 3           one operation, lost: it may have taken effect, now or later
//   0 :ok :read 3
//   1 :info :write :timed-out
//
// Positions count the entries of the file from 0; they, not the times, define the order of events. In a
// file without processes (examples of a few lines), a completion belongs to the first open invocation of
// the same function whose value it may complete.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "serval/base/error.h"
#include "serval/history/client_log.h"
#include "serval/history/value.h"

namespace serval {

// Short queries on the values of a Jepsen file.
inline bool is_list(const FormValue& form) { return form.shape == FormShape::Sequence; }
inline bool is_set(const FormValue& form) { return form.shape == FormShape::Set; }
inline bool is_map(const FormValue& form) { return form.shape == FormShape::Map; }
inline std::optional<std::int64_t> integer_in(const FormValue& form) {
  return form.is_integer() ? std::optional(form.scalar.as_integer()) : std::nullopt;
}

struct FormEntry {
  const FormValue &key, &value;
};
// The entries of a map, in file order.
class FormEntries {
 public:
  explicit FormEntries(const FormValue& map) : parts_(map.parts) {}
  struct Iterator {
    const FormValue* at;
    FormEntry operator*() const { return {at[0], at[1]}; }
    Iterator& operator++() {
      at += 2;
      return *this;
    }
    friend bool operator==(Iterator, Iterator) = default;
  };
  Iterator begin() const { return {parts_.data()}; }
  Iterator end() const { return {parts_.data() + parts_.size() / 2 * 2}; }

 private:
  std::span<const FormValue> parts_;
};
inline FormEntries entries(const FormValue& map) { return FormEntries(map); }

struct ClientOperation {
  enum class Ending : std::uint8_t {
    Ok,
    Failed,  // It certainly had no effect.
    Lost,    // Unknown; it may take effect at any later time, or never.
  };
  static constexpr std::uint32_t kNever = 0xFFFFFFFFu;

  Ending ending = Ending::Lost;
  // Position of the invocation, or of the completion if the file has no invocation.
  std::uint32_t began = 0;
  std::uint32_t ended = kNever;         // Position of the completion; kNever for lost operations.
  std::uint32_t last_entry = 0;         // Position of its last entry in the file.
  const FormValue* argument = nullptr;  // Never null.
  const FormValue* result = nullptr;    // Of the completion; never null (nil if there is none).

  bool ok() const { return ending == Ending::Ok; }
  bool failed() const { return ending == Ending::Failed; }
  bool lost() const { return ending == Ending::Lost; }
};

class ClientHistory {
 public:
  // Throws InputError if a process begins an operation before its previous one has ended.
  explicit ClientHistory(ClientLog log);

  const std::vector<ClientOperation>& operations() const { return operations_; }  // By `began`.
  std::string_view function(const ClientOperation& operation) const { return entry(operation).f; }
  Value process(const ClientOperation& operation) const { return entry(operation).process; }
  Value key(const ClientOperation& operation) const;  // The :key field; nil if there is none.
  std::int64_t index(std::uint32_t position) const { return log_.entries[position].index; }
  std::optional<std::int64_t> time(std::uint32_t position) const { return log_.entries[position].time; }
  std::size_t process_count() const { return process_count_; }

  // Begins and ends of operations, in file order.
  struct Event {
    std::uint32_t operation;
    bool begins;
  };
  std::vector<Event> events() const;

  // Any form as one Value: two are equal exactly if the forms are.
  Value value(const FormValue& form) const;
  Value parse_value(std::string_view text) const;  // "": nil.
  std::optional<std::string_view> text_in(const FormValue& form) const;

  std::string format(Value value) const { return log_.values.format(value); }
  std::string format(const FormValue& form) const;
  // ":ok :read {0 10, 1 9}", shortened.
  std::string format(const ClientOperation& operation) const;

  // An InputError at an entry, which is shown as the offending line.
  InputError error(std::uint32_t position, const std::string& problem, std::string hint = {}) const;
  InputError error(const ClientOperation& operation, const std::string& problem,
                   std::string hint = {}) const {
    return error(operation.last_entry, problem, std::move(hint));
  }
  // Throws InputError for an operation without an invocation in the file, because its begin is unknown.
  void require_begin(const ClientOperation& operation) const;

 private:
  const ClientEntry& entry(const ClientOperation& operation) const { return log_.entries[operation.began]; }

  mutable ClientLog log_;  // Mutable because value() adds lists to its pool.
  std::vector<ClientOperation> operations_;
  std::size_t process_count_ = 0;
};

// The start and the end of a long text, with "…" between them.
std::string shortened(std::string_view text);

}  // namespace serval
