#include <algorithm>
#include <cstring>
#include <utility>

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include "serval/base/error.h"
#include "serval/formats/cut_off_reads.h"
#include "serval/formats/lines/line_blocks.h"
#include "serval/formats/lines/line_cursor.h"
#include "serval/formats/native/jsonl_record.h"
#include "serval/formats/native/native_jsonl.h"
#include "serval/formats/reserve_columns.h"
#include "serval/history/history_builder.h"

namespace serval {
namespace {

constexpr std::int64_t kVersion = 1;

class JsonlReader {
 public:
  JsonlReader(ByteStream& stream, const ReadOptions& options)
      : stream_(stream), options_(options), blocks_(stream, options) {}

  History read() {
    for (std::string_view block = blocks_.next(); !block.empty(); block = blocks_.next()) {
      const bool is_first = line_ == 0;
      lines(block);
      if (is_first) reserve_columns(builder_, block.size(), stream_.size_on_disk());
    }
    drop_held();
    if (cut_ && blocks_.last_line_was_cut() && seen_header_) leave_cut_line_out();
    if (cut_) cut_->raise(*this);
    if (!seen_header_)
      throw InputError({blocks_.name()}, "expected a header line, but the file has no lines");
    leave_open_transactions();
    certificate_.finish(blocks_.name());
    report();
    History history = std::move(builder_).freeze();
    certificate_.check_orders(history, blocks_.name());
    if (cut_lines_ > 0 && options_.on_cut_off) options_.on_cut_off();
    const bool lacks_writers = (cut_lines_ > 0 || options_.accept_truncated) && !has_sync_;
    return lacks_writers ? without_cut_off_reads(std::move(history), options_.on_notice) : std::move(history);
  }

 private:
  // A line that ended too early; accepted if a header follows or the file ends with it.
  struct CutLine {
    std::uint64_t number;
    std::string text;
    std::size_t column;
    std::string expected;
    [[noreturn]] void raise(const JsonlReader& reader) const { reader.fail(number, text, column, expected); }
  };

  [[noreturn]] void fail(std::uint64_t line, std::string_view text, std::size_t column,
                         const std::string& expected) const {
    fail_in_line({blocks_.name(), line}, text, column, "expected " + expected);
  }
  [[noreturn]] void fail_line(const std::string& expected) const { fail(line_, text_, 1, expected); }

  void lines(std::string_view block) {
    const char* at = block.data();
    const char* const block_end = at + block.size();
    while (at < block_end) {
      const auto* end =
          static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(block_end - at)));
      if (holding_)
        hold(std::string_view(at, end));
      else
        line(at, end);
      at = end + 1;
    }
  }

  // After a "sync" record, lines count only once the next "sync" arrives: a transaction among them may
  // have read a value whose writer's line was lost. A header means that another recording continues
  // after such a cut.
  void hold(std::string_view text) {
    const bool is_sync = begins_as_sync(text);
    const bool is_header = text.find(R"("serval":"history")") != std::string_view::npos;
    if (is_header) drop_held();
    if (!is_sync && !is_header) {
      held_.append(text);
      held_ += '\n';
      ++held_lines_;
      return;
    }
    holding_ = false;
    held_lines_ = 0;
    const std::string held = std::exchange(held_, {});
    lines(held);
    line(text.data(), text.data() + text.size());
  }
  void drop_held() {
    line_ += held_lines_;
    unsynced_ += std::exchange(held_lines_, 0);
    held_.clear();
  }

  void line(const char* begin, const char* end) {
    ++line_;
    JsonCursor at(begin, end);
    if (at.at_end()) return;
    text_ = std::string_view(begin, end);
    try {
      parse_jsonl_record(at, builder_.values(), record_);
    } catch (const JsonFailure& failure) {
      const auto column = static_cast<std::size_t>(failure.at - begin) + 1;
      if (cut_) cut_->raise(*this);
      if (!failure.cut) fail(line_, text_, column, failure.expected);
      cut_ = CutLine{line_, std::string(text_), column, failure.expected};
      return;
    }
    if (cut_ || !seen_header_) check_header_place();
    if (!record_.ignored.empty() && record_.kind != JsonlRecord::Kind::Unknown) note_ignored();
    accept();
  }

  void note_ignored() {
    if (++ignored_lines_ > 1) return;
    first_ignored_ = record_.ignored;
    first_ignored_line_ = line_;
  }

  void check_header_place() {
    const bool is_header = record_.kind == JsonlRecord::Kind::Header;
    if (cut_ && (!is_header || !seen_header_)) cut_->raise(*this);
    if (!is_header)
      fail_line(
          "the header line, {\"serval\":\"history\",\"version\":1,\"initial\":0}, before any record "
          "(leave \"initial\" out if keys do not exist at the start)");
    if (cut_) leave_cut_line_out();
  }
  void leave_cut_line_out() {
    ++cut_lines_;
    cut_.reset();
  }

  void accept() {
    switch (record_.kind) {
      case JsonlRecord::Kind::Transaction:
        return whole_transaction();
      case JsonlRecord::Kind::Operation:
        return add_operations(find_open()->second.transaction);
      case JsonlRecord::Kind::Begin:
        return begin();
      case JsonlRecord::Kind::End:
        return end();
      case JsonlRecord::Kind::Open:
        return keep_open();
      case JsonlRecord::Kind::Sync:
        holding_ = has_sync_ = true;
        return;
      case JsonlRecord::Kind::Heartbeat:
        return;
      case JsonlRecord::Kind::Order:
        record_.order.line = line_;
        return certificate_.add_order(std::move(record_.order));
      case JsonlRecord::Kind::Settled:
        return certificate_.add_settled({{*record_.session, *record_.label},
                                         *record_.outcome,
                                         record_.has_hints ? std::move(record_.hints) : TransactionHints{},
                                         line_});
      case JsonlRecord::Kind::Certificate:
        return builder_.set_ordered_by_commit();
      case JsonlRecord::Kind::Header:
        return header();
      case JsonlRecord::Kind::Unknown:
        ++skipped_[record_.event];
        return;
    }
  }

  void header() {
    if (record_.version < 1 || record_.version > kVersion)
      fail_line(fmt::format("version {}, but the file says {}: a newer Serval may read it", kVersion,
                            record_.version));
    leave_open_transactions();
    if (seen_header_ && record_.initial && *record_.initial != initial_)
      fail_line("the same \"initial\" value as in the header before");
    if (record_.initial) initial_ = *record_.initial;
    builder_.set_initial_value(initial_);
    for (auto& [name, text] : record_.facts) builder_.set_fact(name, std::move(text));
    for (const Value label : record_.sessions) builder_.session(label);
    seen_header_ = true;
  }

  TransactionId begin_transaction() {
    if (builder_.transaction_count() >= 0xFFFFFFFEu || builder_.operation_count() >= 0xFFF00000u)
      fail_line("fewer than 2^32 transactions and operations");
    const auto ordinal = static_cast<std::int64_t>(builder_.transaction_count()) + 1;
    return builder_.begin_transaction(builder_.session(*record_.session),
                                      record_.label.value_or(Value::integer(ordinal)));
  }

  void whole_transaction() {
    if (!kept_open_.empty() && record_.label) kept_open_.erase(OpenKey(*record_.session, *record_.label));
    const TransactionId t = begin_transaction();
    add_operations(t);
    if (record_.outcome) builder_.set_outcome(t, *record_.outcome);
    if (record_.interval != Interval{}) builder_.set_interval(t, record_.interval);
    if (record_.has_hints) builder_.set_hints(t, std::move(record_.hints));
  }

  void add_operations(TransactionId t) {
    for (const JsonlRecord::Op& op : record_.ops) {
      if (op.extra == JsonlRecord::kNoExtra) {
        builder_.add(t, op.kind, builder_.key(op.key), op.value);
      } else {
        builder_.add(t, whole_operation(op, record_.extras[op.extra]));
        if (record_.extras[op.extra].saw) keep_saw(*record_.extras[op.extra].saw);
      }
    }
  }

  // Belongs to the operation added last.
  void keep_saw(JsonlSaw& saw) {
    const OperationId op{static_cast<std::uint32_t>(builder_.operation_count() - 1)};
    certificate_.add_saw(op, std::move(saw), line_);
  }

  Operation whole_operation(const JsonlRecord::Op& op, JsonlRecord::Extra& extra) {
    Operation whole{.kind = op.kind, .value = op.value, .expected = extra.expected, .time = extra.time};
    if (!is_predicate(op.kind)) whole.key = builder_.key(op.key);
    if (extra.predicate) whole.predicate = builder_.predicate(std::move(*extra.predicate));
    for (const auto& [key, value] : extra.rows) whole.rows.push_back({builder_.key(key), value});
    whole.version = extra.version;
    whole.rows_matched = extra.matched;
    whole.rows_changed = extra.changed;
    return whole;
  }

  // A transaction recorded event by event. It is indeterminate until its end record says otherwise.
  struct Open {
    TransactionId transaction;
    Time begin;
    TransactionHints hints;
  };
  using OpenKey = std::pair<Value, Value>;  // Session, label.

  void begin() {
    const auto [open, fresh] = open_.try_emplace(OpenKey(*record_.session, *record_.label));
    if (!fresh) fail_line("the end of this transaction before it begins again");
    const TransactionId t = begin_transaction();
    open->second = {t, record_.interval.begin,
                    record_.has_hints ? std::move(record_.hints) : TransactionHints{}};
    builder_.set_outcome(t, Outcome::Indeterminate);
    builder_.set_interval(t, record_.interval);
    add_operations(t);
  }

  absl::flat_hash_map<OpenKey, Open>::iterator find_open() {
    const auto open = open_.find(OpenKey(*record_.session, *record_.label));
    if (open == open_.end()) fail_line("a begin record of this transaction first");
    return open;
  }

  void end() {
    const auto open = find_open();
    const TransactionId t = open->second.transaction;
    add_operations(t);
    builder_.set_outcome(t, *record_.outcome);
    builder_.set_interval(t, {open->second.begin, record_.interval.end});
    if (record_.has_hints) open->second.hints.add(record_.hints);
    builder_.set_hints(t, std::move(open->second.hints));
    open_.erase(open);
  }

  // The possible writes of an unfinished transaction so far. A later line of the whole transaction
  // replaces it.
  struct KeptOpen {
    std::uint64_t line = 0;
    std::string text;
  };
  void keep_open() { kept_open_[OpenKey(*record_.session, *record_.label)] = {line_, std::string(text_)}; }

  void add_kept_open() {
    std::vector<KeptOpen> kept;
    for (auto& [key, open] : kept_open_) kept.push_back(std::move(open));
    kept_open_.clear();
    unfinished_ += kept.size();
    std::ranges::sort(kept, {}, &KeptOpen::line);
    for (const KeptOpen& open : kept) {
      JsonCursor at(open.text.data(), open.text.data() + open.text.size());
      parse_jsonl_record(at, builder_.values(), record_);
      const TransactionId t = begin_transaction();
      add_operations(t);
      builder_.set_outcome(t, Outcome::Indeterminate);
      builder_.set_interval(t, {record_.interval.begin, kUnknownEnd});
    }
  }

  void leave_open_transactions() {
    if (!kept_open_.empty()) {
      JsonlRecord now = std::move(record_);
      record_ = {};
      add_kept_open();
      record_ = std::move(now);
    }
    unfinished_ += open_.size();
    for (auto& [key, open] : open_) builder_.set_hints(open.transaction, std::move(open.hints));
    open_.clear();
  }

  void report() const {
    if (!options_.on_notice) return;
    if (cut_lines_ > 0)
      options_.on_notice(fmt::format("{} cut-off line{} left out", cut_lines_, cut_lines_ == 1 ? "" : "s"));
    if (unsynced_ > 0)
      options_.on_notice(fmt::format(
          "{} line(s) after the last sync record left out: the recording was cut off", unsynced_));
    if (unfinished_ > 0)
      options_.on_notice(
          fmt::format("{} transaction(s) without an end record are indeterminate", unfinished_));
    if (ignored_lines_ > 0)
      options_.on_notice(
          fmt::format("{} line(s) with a member of unknown name, which is ignored; the first is "
                      "\"{}\" on line {}",
                      ignored_lines_, first_ignored_, first_ignored_line_));
    for (const auto& [event, count] : skipped_)
      options_.on_notice(fmt::format("{} record(s) of the unknown kind \"{}\" skipped", count, event));
  }

  ByteStream& stream_;
  const ReadOptions& options_;
  LineBlocks blocks_;
  HistoryBuilder builder_;
  CertificateReader certificate_{builder_};
  JsonlRecord record_;
  absl::flat_hash_map<OpenKey, Open> open_;
  absl::flat_hash_map<OpenKey, KeptOpen> kept_open_;
  Value initial_;
  bool seen_header_ = false;

  std::uint64_t line_ = 0;
  std::string_view text_;  // The line being read.
  std::optional<CutLine> cut_;

  bool holding_ = false, has_sync_ = false;
  std::string held_;  // Lines since the last sync record.
  std::uint64_t held_lines_ = 0;

  std::uint64_t cut_lines_ = 0, unfinished_ = 0, unsynced_ = 0;
  std::map<std::string, std::uint64_t> skipped_;
  std::uint64_t ignored_lines_ = 0, first_ignored_line_ = 0;  // Lines with a member of an unknown name.
  std::string first_ignored_;
};

// `quoted` and a colon, somewhere in the line.
bool has_member(std::string_view line, std::string_view quoted) {
  for (std::size_t at = line.find(quoted); at != std::string_view::npos; at = line.find(quoted, at + 1)) {
    const std::size_t colon = line.find_first_not_of(" \t", at + quoted.size());
    if (colon != std::string_view::npos && line[colon] == ':') return true;
  }
  return false;
}

}  // namespace

// A transaction without a header line also counts as this format, so that the reader can ask for the
// header.
bool looks_like_jsonl(std::string_view start) {
  start.remove_prefix(std::min(start.find_first_not_of(" \t\r\n"), start.size()));
  if (!start.starts_with('{')) return false;
  const std::string_view first_line = start.substr(0, start.find('\n'));
  return has_member(first_line, "\"serval\"") ||
         (has_member(first_line, "\"s\"") && has_member(first_line, "\"ops\""));
}

History read_jsonl(ByteStream& stream, const ReadOptions& options) {
  return JsonlReader(stream, options).read();
}

}  // namespace serval
