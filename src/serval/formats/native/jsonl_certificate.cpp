#include "serval/formats/native/jsonl_certificate.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include "serval/base/error.h"
#include "serval/formats/native/jsonl_value.h"
#include "serval/history/certificate_flaw.h"

namespace serval {
namespace {

JsonlCitation parse_citation(JsonCursor& at, ValuePool& pool) {
  JsonlCitation out;
  at.peek();
  out.column = at.column();
  const bool pair = at.accept('[');
  if (!pair && !is_digit(at.peek())) at.fail("a transaction: [session,label], or its number in the file");
  if (pair) {
    out.session = parse_json_value(at, pool);
    at.expect(',', "',' and the transaction's label");
  }
  out.label = parse_json_value(at, pool);
  if (pair) at.expect(']', "']' after the transaction");
  return out;
}

std::vector<std::pair<Value, std::optional<JsonlCitation>>> parse_versions(JsonCursor& at, ValuePool& pool) {
  JsonlSaw::Versions out;
  at.expect('[', "'[', the versions that it saw");
  if (at.accept(']')) return out;
  absl::flat_hash_set<Value> keys;
  do {
    at.expect('[', "a version as [key,transaction]");
    at.peek();
    const char* start = at.position();
    const Value key = parse_json_value(at, pool);
    if (!keys.insert(key).second) at.fail_at(start, "each key only once among the versions that it saw");
    at.expect(',', "',' and a transaction, or null for the initial version");
    std::optional<JsonlCitation> installer;
    if (at.peek() == 'n')
      at.literal("null", "a transaction or null");
    else
      installer = parse_citation(at, pool);
    out.emplace_back(key, installer);
    at.expect(']', "']' after the version");
  } while (at.more(']'));
  return out;
}

// Which transaction a citation names.
class Directory {
 public:
  Directory(HistoryBuilder& builder, const std::string& file) : builder_(builder), file_(file) {
    sessions_.reserve(builder.transaction_count());
    for (std::uint32_t i = 0; i < builder.transaction_count(); ++i) {
      const TransactionId t{i};
      const auto [found, fresh] =
          sessions_.try_emplace(std::pair(builder.session_of(t), builder.label(t)), t);
      if (!fresh) found->second = TransactionId::none();
    }
  }

  TransactionId find(const JsonlCitation& citation, std::uint64_t line) {
    if (!citation.session) return numbered(citation, line);
    const auto found = sessions_.find(std::pair(builder_.session(*citation.session), citation.label));
    if (found != sessions_.end() && !found->second.is_none()) return found->second;
    const std::string name = fmt::format("[{},{}]", builder_.values().format(*citation.session),
                                         builder_.values().format(citation.label));
    fail(citation, line,
         found == sessions_.end() ? "no transaction of the file is " + name
                                  : "several transactions of the file are " + name);
  }
  [[noreturn]] void fail(const JsonlCitation& citation, std::uint64_t line,
                         const std::string& problem) const {
    throw InputError({file_, line, citation.column}, problem);
  }

 private:
  TransactionId numbered(const JsonlCitation& citation, std::uint64_t line) const {
    const Value number = citation.label;
    const bool known = number.is_integer() && number.as_integer() >= 1 &&
                       static_cast<std::uint64_t>(number.as_integer()) <= builder_.transaction_count();
    if (!known)
      fail(citation, line, "the file has no transaction number " + builder_.values().format(number));
    return TransactionId{static_cast<std::uint32_t>(number.as_integer() - 1)};
  }
  HistoryBuilder& builder_;
  const std::string& file_;
  absl::flat_hash_map<std::pair<SessionId, Value>, TransactionId> sessions_;
};

}  // namespace

std::vector<JsonlCitation> parse_json_citations(JsonCursor& at, ValuePool& pool) {
  std::vector<JsonlCitation> out;
  at.expect('[', "'[', the transactions that installed the versions");
  if (at.accept(']')) return out;
  do out.push_back(parse_citation(at, pool));
  while (at.more(']'));
  return out;
}

JsonlSaw parse_json_saw(JsonCursor& at, ValuePool& pool) {
  if (at.peek() == '[') return {parse_versions(at, pool)};
  at.expect('{', "the versions that it saw: a list, {\"ts\":number} or {\"snapshot\":\"xmin:xmax:xip\"}");
  const char* start = at.position();
  const std::string name(at.member_name());
  JsonlSaw out;
  if (name == "ts") {
    std::int64_t timestamp = 0;
    if (!at.whole_number(timestamp)) at.fail("a whole number that fits 64 bits");
    out.seen = timestamp;
  } else if (name == "snapshot") {
    const char* text_start = at.position();
    std::optional<TransactionSnapshot> snapshot =
        TransactionSnapshot::parse(at.string("a snapshot in quotes"));
    if (!snapshot) at.fail_at(text_start, "a snapshot as \"xmin:xmax:xip,xip\", with xmin <= xip < xmax");
    out.seen = std::move(*snapshot);
  } else {
    at.fail_at(start, "\"ts\" or \"snapshot\"");
  }
  at.expect('}', "'}' after what it saw");
  return out;
}

void CertificateReader::finish(const std::string& file) {
  if (orders_.empty() && saws_.empty() && settled_.empty()) return;
  Directory directory(builder_, file);
  std::vector<std::pair<TransactionId, TransactionHints>> hints;
  for (JsonlSettled& found : settled_) {
    const TransactionId t = directory.find(found.transaction, found.line);
    const Outcome known = builder_.outcome(t);
    if (known != Outcome::Indeterminate && known != found.outcome)
      directory.fail(found.transaction, found.line,
                     fmt::format("this transaction is {} by this line and {} by another",
                                 name_of(found.outcome), name_of(known)));
    builder_.set_outcome(t, found.outcome);
    hints.emplace_back(t, std::move(found.hints));
  }
  builder_.add_hints(std::move(hints));
  for (const JsonlOrder& found : orders_) {
    KeyOrder order{builder_.key(found.key), {}, found.complete};
    for (const JsonlCitation& version : found.versions)
      order.installers.push_back(directory.find(version, found.line));
    builder_.add_order(std::move(order));
  }
  for (Saw& found : saws_) {
    VersionSet set;
    if (const auto* versions = std::get_if<JsonlSaw::Versions>(&found.saw.seen)) {
      std::vector<SeenVersion> seen;
      for (const auto& [key, installer] : *versions)
        seen.push_back(
            {builder_.key(key), installer ? directory.find(*installer, found.line) : TransactionId::none()});
      set.seen = std::move(seen);
    } else if (const auto* timestamp = std::get_if<std::int64_t>(&found.saw.seen)) {
      set.seen = *timestamp;
    } else {
      set.seen = std::move(std::get<TransactionSnapshot>(found.saw.seen));
    }
    builder_.add_version_set(found.op, std::move(set));
  }
}

void CertificateReader::check_orders(const History& history, const std::string& file) const {
  const std::optional<OrderFlaw> flaw = find_order_flaw(history);
  if (!flaw) return;
  const JsonlOrder& found = orders_[flaw->order];
  const bool cites = flaw->version < found.versions.size();
  const std::size_t column = cites ? found.versions[flaw->version].column : 1;
  throw InputError({file, found.line, column}, flaw->problem, {},
                   "the certificate contradicts itself; it cannot have come from a database's log");
}

CertificateWriter::CertificateWriter(const History& history) : history_(history) {
  if (history.certificate().empty()) return;
  by_number_.assign(history.transaction_count(), false);
  absl::flat_hash_map<std::pair<SessionId, Value>, TransactionId> first;
  for (const TransactionId t : history.transactions()) {
    const auto [found, fresh] = first.try_emplace(std::pair(history.session(t), history.label(t)), t);
    if (!fresh) by_number_[t.index] = by_number_[found->second.index] = true;
  }
}

void CertificateWriter::append_citation(std::string& out, TransactionId t) const {
  if (!by_number_[t.index])
    return put_citation(out, spelled(history_.session_label(history_.session(t))),
                        spelled(history_.label(t)));
  put_separator(out);
  put(out, std::int64_t{t.index} + 1);
}

void CertificateWriter::append_saw(std::string& out, const VersionSet& set) const {
  if (const auto* timestamp = std::get_if<std::int64_t>(&set.seen)) return put_saw(out, *timestamp);
  if (const auto* snapshot = std::get_if<TransactionSnapshot>(&set.seen))
    return put_saw(out, snapshot->format());
  put_member(out, R"("saw":[)");
  for (const SeenVersion& version : std::get<std::vector<SeenVersion>>(set.seen)) {
    put_separator(out);
    put_all(out, "[", spelled(history_.key_value(version.key)), ",");
    version.installer.is_none() ? put(out, "null") : append_citation(out, version.installer);
    out += ']';
  }
  out += ']';
}

void CertificateWriter::append_records(std::string& out) const {
  const Certificate& certificate = history_.certificate();
  if (certificate.ordered_by_commit) put_ordered_by_commit_line(out);
  for (const KeyOrder& order : certificate.orders) {
    put_order_start(out, spelled(history_.key_value(order.key)));
    for (const TransactionId t : order.installers) append_citation(out, t);
    put_order_end(out, order.complete);
  }
}

}  // namespace serval
