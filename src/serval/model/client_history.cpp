#include "serval/model/client_history.h"

#include <algorithm>
#include <array>

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include "serval/base/decimal_number.h"

namespace serval {
namespace {

const FormValue kNil;
constexpr std::size_t kLongest = 1000;  // Of a formatted value, before it is shortened.

constexpr std::array<std::string_view, 6> kTypeNames{"", "invoke", "ok", "fail", "info", ""};
std::string_view name_of(EntryType type) { return kTypeNames[static_cast<std::size_t>(type)]; }

// Matches completions with invocations.
class Pairing {
 public:
  explicit Pairing(const ClientLog& log) : log_(log) {
    const auto is_client = [&](const ClientEntry& entry) { return log_.is_client(entry); };
    without_processes_ = std::ranges::none_of(log.entries, is_client);
  }

  std::vector<ClientOperation> pair_up() {
    for (std::uint32_t at = 0; at < log_.entries.size(); ++at)
      if (counts(log_.entries[at])) take(at, log_.entries[at]);
    std::ranges::sort(operations_, {}, &ClientOperation::began);
    return std::move(operations_);
  }
  std::size_t process_count() const { return last_of_.size(); }
  // If a process began two operations at once: the second one.
  std::optional<std::uint32_t> clash() const { return clash_; }

 private:
  bool counts(const ClientEntry& entry) const {
    return log_.is_client(entry) || (without_processes_ && entry.process.is_nil());
  }

  void take(std::uint32_t at, const ClientEntry& entry) {
    if (entry.type == EntryType::Invoke)
      begin(at, entry);
    else if (ClientOperation* open = find_open(entry))
      end(*open, at, entry);
    else if (entry.type != EntryType::Info)
      end(append(at, entry), at, entry);
  }

  ClientOperation& append(std::uint32_t at, const ClientEntry& entry) {
    ClientOperation& operation = operations_.emplace_back();
    operation.began = operation.last_entry = at;
    operation.argument = &entry.value;
    operation.result = &kNil;
    return operation;
  }

  void begin(std::uint32_t at, const ClientEntry& entry) {
    const auto place = static_cast<std::uint32_t>(operations_.size());
    append(at, entry);
    if (without_processes_) {
      open_.push_back(place);
      return;
    }
    const auto [last, is_new] = last_of_.try_emplace(entry.process, place);
    if (!is_new && is_open(last->second) && !clash_) clash_ = at;
    last->second = place;
  }

  bool is_open(std::uint32_t place) const {
    return operations_[place].last_entry == operations_[place].began && operations_[place].lost();
  }

  ClientOperation* find_open(const ClientEntry& entry) {
    if (without_processes_) return find_alike(entry);
    const auto last = last_of_.find(entry.process);
    return last == last_of_.end() || !is_open(last->second) ? nullptr : &operations_[last->second];
  }

  ClientOperation* find_alike(const ClientEntry& entry) {
    const auto fits = [&](std::uint32_t place) {
      const ClientEntry& begun = log_.entries[operations_[place].began];
      return begun.f == entry.f && may_complete(begun.value, entry.value);
    };
    const auto found = std::ranges::find_if(open_, fits);
    if (found == open_.end()) return nullptr;
    const std::uint32_t place = *found;
    open_.erase(found);
    return &operations_[place];
  }

  // Equal except for nils of the invocation that the completion has filled in.
  static bool may_complete(const FormValue& begun, const FormValue& ended) {
    if (begun.is_nil() || begun == ended) return true;
    if (begun.shape != FormShape::Sequence || ended.shape != begun.shape) return false;
    return std::ranges::equal(begun.parts, ended.parts, may_complete);
  }

  static void end(ClientOperation& operation, std::uint32_t at, const ClientEntry& entry) {
    operation.last_entry = at;
    if (entry.type == EntryType::Info) return;
    operation.ending =
        entry.type == EntryType::Ok ? ClientOperation::Ending::Ok : ClientOperation::Ending::Failed;
    operation.ended = at;
    operation.result = &entry.value;
  }

  const ClientLog& log_;
  bool without_processes_ = false;
  std::vector<ClientOperation> operations_;
  absl::flat_hash_map<Value, std::uint32_t> last_of_;  // By process: its last operation.
  std::vector<std::uint32_t> open_;                    // For files without processes.
  std::optional<std::uint32_t> clash_;
};

}  // namespace

ClientHistory::ClientHistory(ClientLog log) : log_(std::move(log)) {
  Pairing pairing(log_);
  operations_ = pairing.pair_up();
  process_count_ = pairing.process_count();
  if (pairing.clash())
    throw error(*pairing.clash(), "this process begins an operation before its previous one has ended",
                "a process runs one operation at a time; after :info a new process continues");
}

std::vector<ClientHistory::Event> ClientHistory::events() const {
  constexpr Event kNone{ClientOperation::kNever, false};
  std::vector<Event> events(log_.entries.size(), kNone);
  for (std::uint32_t i = 0; i < operations_.size(); ++i) {
    if (operations_[i].ended != ClientOperation::kNever) events[operations_[i].ended] = {i, false};
    events[operations_[i].began] = {i, true};
  }
  std::erase_if(events, [](const Event& event) { return event.operation == ClientOperation::kNever; });
  return events;
}

Value ClientHistory::key(const ClientOperation& operation) const { return entry(operation).key; }

Value ClientHistory::value(const FormValue& form) const {
  if (form.is_scalar()) return form.scalar;
  std::vector<Value> parts;
  parts.reserve(form.parts.size() + 1);
  if (is_map(form))
    for (const auto& [key, mapped] : entries(form))
      parts.push_back(log_.values.list({value(key), value(mapped)}));
  else
    for (const FormValue& part : form.parts) parts.push_back(value(part));
  if (is_list(form)) return log_.values.list(parts);
  std::ranges::sort(parts);
  parts.push_back(log_.values.text(is_map(form) ? "{}" : "#{}"));
  return log_.values.list(parts);
}

Value ClientHistory::parse_value(std::string_view text) const {
  if (text.empty() || text == "nil") return Value::nil();
  return is_decimal_number(text) ? log_.values.number(text) : log_.values.text(text);
}

std::optional<std::string_view> ClientHistory::text_in(const FormValue& form) const {
  if (!form.is_scalar() || form.scalar.kind() != Value::Kind::Text) return std::nullopt;
  return log_.values.characters(form.scalar);
}

std::string ClientHistory::format(const FormValue& form) const {
  if (form.is_nil()) return "nil";
  if (form.is_scalar()) return format(form.scalar);
  std::string out = is_list(form) ? "[" : is_set(form) ? "#{" : "{";
  for (std::size_t i = 0; i < form.parts.size() && out.size() < kLongest; ++i) {
    if (i > 0) out += is_map(form) && i % 2 == 0 ? ", " : " ";
    out += format(form.parts[i]);
  }
  return out + (is_list(form) ? "]" : "}");
}

std::string ClientHistory::format(const ClientOperation& operation) const {
  const ClientEntry& last = log_.entries[operation.last_entry];
  const FormValue& value = operation.ok() ? *operation.result : *operation.argument;
  return fmt::format(":{} :{} {}", name_of(last.type), last.f, shortened(format(value)));
}

InputError ClientHistory::error(std::uint32_t position, const std::string& problem, std::string hint) const {
  const ClientEntry& at = log_.entries[position];
  const std::string process = at.process.is_nil() ? "" : format(at.process) + " ";
  return InputError({log_.file, at.line, 0}, problem,
                    fmt::format("{}:{} :{} {}", process, name_of(at.type), at.f, shortened(format(at.value))),
                    std::move(hint));
}

void ClientHistory::require_begin(const ClientOperation& operation) const {
  if (operation.began == operation.ended)
    throw error(operation, "this completion has no invocation, so it is unknown which operations it overlaps",
                "this model needs invocations and completions");
}

std::string shortened(std::string_view text) {
  constexpr std::size_t kFront = 60, kBack = 20;
  if (text.size() <= kFront + kBack + 4) return std::string(text);
  const auto continues = [&](std::size_t at) {
    return (static_cast<unsigned char>(text[at]) & 0xC0u) == 0x80u;
  };
  std::size_t front = kFront, back = text.size() - kBack;
  while (front > 0 && continues(front)) --front;
  while (back < text.size() && continues(back)) ++back;
  return fmt::format("{} … {}", text.substr(0, front), text.substr(back));
}

}  // namespace serval
