#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "serval/base/contract.h"
#include "serval/formats/native/binary_chunk.h"
#include "serval/formats/native/native_binary.h"
#include "serval/formats/native/native_binary_layout.h"

namespace serval {

using namespace binary;  // NOLINT(google-build-using-namespace): the names of the layout, all of them.

struct BinaryWriter::State {
  State(Sink sink, Limits chunk_limits) : out(std::move(sink)), limits(chunk_limits) {
    std::string header(kFileMagic);
    append_little_endian_32(header, kVersion);
    append_little_endian_32(header, 0);
    emit(header);
  }

  // The file so far.
  Sink out;
  Limits limits;
  std::uint64_t offset = 0;
  std::vector<IndexEntry> index;
  IndexTotals totals;
  bool finished = false;

  // The names so far. The pool numbers spellings and lists in the order they are first used, as the file
  // does.
  ValuePool pool;
  absl::flat_hash_map<Value, std::uint32_t> keys, sessions;
  std::uint64_t predicates = 0;

  // The chunk being filled.
  std::array<std::string, kColumnIds> columns;
  IndexEntry chunk = empty_chunk();
  std::uint64_t label_before = 0, begin_before = 0, operation_begin_before = 0;
  bool any_outcome = false, any_times = false, any_operation_times = false;

  std::string& column(Column id) { return columns[static_cast<std::size_t>(id)]; }

  static IndexEntry empty_chunk() {
    IndexEntry entry;
    entry.first_begin = kUnknownBegin;
    entry.last_end = kUnknownEnd;
    return entry;
  }

  void emit(std::string_view bytes) {
    out(bytes);
    offset += bytes.size();
  }

  // Names.

  Value adopt(const ValuePool& from, Value value) {
    switch (value.kind()) {
      case Value::Kind::Number:
        return spelled(pool.number(from.characters(value)));
      case Value::Kind::Text:
        return spelled(pool.text(from.characters(value)));
      case Value::Kind::Row:
        return spelled(pool.row(from.characters(value)));
      case Value::Kind::List:
        return adopt_list(from, value);
      default:
        return value;
    }
  }
  std::uint64_t spellings_written = 0, lists_written = 0;
  Value spelled(Value mine) {
    if (pool.spelling_count() == spellings_written) return mine;
    spellings_written = pool.spelling_count();
    append_varint(column(Column::Spellings), static_cast<std::uint64_t>(mine.kind()));
    append_text(column(Column::Spellings), pool.characters(mine));
    return mine;
  }
  Value adopt_list(const ValuePool& from, Value list) {
    std::vector<Value> elements;
    for (const Value element : from.elements(list)) elements.push_back(adopt(from, element));
    const Value mine = pool.list(elements);
    if (pool.list_count() == lists_written) return mine;
    lists_written = pool.list_count();
    append_varint(column(Column::Lists), elements.size());
    for (const Value element : elements) append_varint(column(Column::Lists), code(element));
    return mine;
  }

  // The number that represents a value of our own pool.
  static std::uint64_t code(Value mine) {
    if (mine.is_integer()) return zigzag(static_cast<std::uint64_t>(mine.as_integer())) << 3;
    return mine.bits();
  }
  std::uint64_t code(const ValuePool& from, Value value) { return code(adopt(from, value)); }

  std::uint32_t number_of(absl::flat_hash_map<Value, std::uint32_t>& names, Column additions,
                          const ValuePool& from, Value name) {
    const Value mine = adopt(from, name);
    const auto [found, fresh] = names.try_emplace(mine, static_cast<std::uint32_t>(names.size()));
    if (fresh) append_varint(column(additions), code(mine));
    return found->second;
  }

  // The chunk.

  std::size_t chunk_bytes() const {
    std::size_t sum = 0;
    for (const std::string& bytes : columns) sum += bytes.size();
    return sum;
  }

  void close_chunk() {
    if (chunk.transactions == 0 && chunk_bytes() == 0) return;
    append_varint(column(Column::Counts), chunk.transactions);
    append_varint(column(Column::Counts), chunk.operations);
    if (!any_outcome) column(Column::Outcome).clear();
    if (!any_times) clear(Column::Begin, Column::End);
    if (!any_operation_times) clear(Column::OperationBegin, Column::OperationEnd);
    index_and_emit(seal_chunk(ChunkKind::Transactions, take_columns(), Packing::Zstd));
  }
  std::string take_columns() {
    std::string plain;
    for (std::size_t id = 0; id < columns.size(); ++id) {
      if (columns[id].empty()) continue;
      append_varint(plain, id);
      append_text(plain, columns[id]);
      columns[id].clear();
    }
    return plain;
  }
  // Not in the index, which covers transactions only.
  void close_certificate() {
    if (chunk_bytes() > 0) emit(seal_chunk(ChunkKind::Certificate, take_columns(), Packing::Zstd));
  }
  void clear(Column one, Column two) {
    column(one).clear();
    column(two).clear();
  }

  void index_and_emit(const std::string& sealed) {
    chunk.offset = offset;
    chunk.size = sealed.size();
    index.push_back(chunk);
    ++totals.chunks;
    totals.transactions += chunk.transactions;
    totals.operations += chunk.operations;
    emit(sealed);
    chunk = empty_chunk();
    chunk.first_transaction = totals.transactions;
    chunk.first_operation = totals.operations;
    label_before = begin_before = operation_begin_before = 0;
    any_outcome = any_times = any_operation_times = false;
  }

  void write_index() {
    const std::uint64_t footer_offset = offset;
    emit(seal_chunk(ChunkKind::Footer, footer_of(index, totals), Packing::None));
    std::string trailer;
    append_little_endian(trailer, footer_offset);
    emit(trailer += kTrailerMagic);
  }
};

namespace {

void append_interval(std::string& begins, std::string& ends, Interval time, std::uint64_t& begin_before) {
  const auto begin = static_cast<std::uint64_t>(time.begin);
  append_varint(begins, zigzag(begin - begin_before));
  append_varint(ends, zigzag(static_cast<std::uint64_t>(time.end) - begin));
  begin_before = begin;
}

}  // namespace

// Adds transactions of one history; remembers the file's numbers of that history's keys and sessions.
class BinaryWriter::Adder {
 public:
  Adder(State& state, const History& history)
      : file_(state),
        history_(history),
        keys_(history.key_count(), kUnset),
        sessions_(history.session_count(), kUnset) {}

  void add(TransactionId t) {
    append_varint(file_.column(Column::Session), session(history_.session(t)));
    const std::uint64_t label = file_.code(history_.values(), history_.label(t));
    append_varint(file_.column(Column::Label), zigzag(label - file_.label_before));
    file_.label_before = label;
    append_varint(file_.column(Column::Size), history_.operations(t).size());
    file_.column(Column::Outcome) += static_cast<char>(history_.outcome(t));
    if (history_.outcome(t) != Outcome::Committed) file_.any_outcome = true;
    interval(history_.interval(t));
    if (const TransactionHints* found = history_.hints(t)) hints(*found);
    for (const OperationId op : history_.operations(t)) operation(op);
    ++file_.chunk.transactions;
  }

 private:
  static constexpr std::uint32_t kUnset = 0xFFFFFFFFu;

  std::uint32_t key(KeyId key) {
    std::uint32_t& number = keys_[key.index];
    if (number == kUnset)
      number = file_.number_of(file_.keys, Column::Keys, history_.values(), history_.key_value(key));
    return number;
  }
  std::uint32_t session(SessionId session) {
    std::uint32_t& number = sessions_[session.index];
    if (number == kUnset) {
      number = file_.number_of(file_.sessions, Column::Sessions, history_.values(),
                               history_.session_label(session));
    }
    return number;
  }

  void interval(Interval time) {
    append_interval(file_.column(Column::Begin), file_.column(Column::End), time, file_.begin_before);
    if (time != Interval{}) file_.any_times = true;
    IndexEntry& chunk = file_.chunk;
    if (time.begin != kUnknownBegin && (chunk.first_begin == kUnknownBegin || time.begin < chunk.first_begin))
      chunk.first_begin = time.begin;
    if (time.end != kUnknownEnd && (chunk.last_end == kUnknownEnd || time.end > chunk.last_end))
      chunk.last_end = time.end;
  }

  void hints(const TransactionHints& hints) {
    std::string& out = file_.column(Column::Hints);
    append_varint(out, file_.chunk.transactions);
    const std::size_t flags_at = out.size();
    out += '\0';
    int flags = 0;
    const auto number = [&](int flag, const std::optional<std::int64_t>& member) {
      if (!member) return;
      flags |= flag;
      append_zigzag(out, *member);
    };
    const auto text = [&](int flag, const std::string& member) {
      if (member.empty()) return;
      flags |= flag;
      append_text(out, member);
    };
    number(kHintStart, hints.start_timestamp);
    number(kHintCommit, hints.commit_timestamp);
    text(kHintServer, hints.server_transaction);
    text(kHintSnapshot, hints.snapshot);
    text(kHintNode, hints.node);
    text(kHintError, hints.error);
    out[flags_at] = static_cast<char>(flags);
  }

  void operation(OperationId id) {
    const Operation op = history_.operation(id);
    const ValuePool& pool = history_.values();
    file_.column(Column::Kind) += static_cast<char>(op.kind);
    append_varint(file_.column(Column::Key), op.key.is_none() ? 0 : std::uint64_t{key(op.key)} + 1);
    append_varint(file_.column(Column::Value), file_.code(pool, op.value));
    if (is_conditional(op.kind)) append_varint(file_.column(Column::Expected), file_.code(pool, op.expected));
    append_interval(file_.column(Column::OperationBegin), file_.column(Column::OperationEnd), op.time,
                    file_.operation_begin_before);
    if (op.time != Interval{}) file_.any_operation_times = true;
    if (!op.predicate.is_none() || !op.rows.empty() || op.version || op.rows_matched || op.rows_changed)
      rare(op);
    ++file_.chunk.operations;
  }

  void rare(const Operation& op) {
    std::string& out = file_.column(Column::Rare);
    const int flags = (op.predicate.is_none() ? 0 : kRarePredicate) | (op.rows.empty() ? 0 : kRareRows) |
                      (op.version ? kRareVersion : 0) | (op.rows_matched ? kRareMatched : 0) |
                      (op.rows_changed ? kRareChanged : 0);
    append_varint(out, file_.chunk.operations);
    out += static_cast<char>(flags);
    if (!op.predicate.is_none()) append_varint(out, predicate(op.predicate));
    if (!op.rows.empty()) append_varint(out, op.rows.size());
    for (const Row& row : op.rows) {
      append_varint(out, key(row.key));
      append_varint(out, file_.code(history_.values(), row.value));
    }
    for (const auto& number : {op.version, op.rows_matched, op.rows_changed})
      if (number) append_zigzag(out, *number);
  }

  std::uint64_t predicate(PredicateId id) {
    const auto [found, fresh] = predicates_.try_emplace(id, file_.predicates);
    if (fresh) {
      ++file_.predicates;
      tree(history_.predicate(id));
    }
    return found->second;
  }
  void tree(const Predicate& node) {
    std::string& out = file_.column(Column::Predicates);
    out += static_cast<char>(node.node);
    append_text(out, node.name);
    append_varint(out, file_.code(history_.values(), node.literal));
    append_varint(out, node.children.size());
    for (const Predicate& child : node.children) tree(child);
  }

  State& file_;
  const History& history_;
  std::vector<std::uint32_t> keys_, sessions_;
  absl::flat_hash_map<PredicateId, std::uint64_t> predicates_;
};

// Writes the certificate of a history. The file must contain all its transactions and no others.
class BinaryWriter::CertificateAdder {
 public:
  CertificateAdder(State& state, const History& history) : file_(state), history_(history) {}

  void add() {
    const Certificate& certificate = history_.certificate();
    if (certificate.ordered_by_commit) file_.column(Column::OrderedByCommit) += '\1';
    for (const KeyOrder& order : certificate.orders) {
      add(order);
      close_if_full();
    }
    for (const auto& [op, seen] : certificate.version_sets) {
      add(op, seen);
      close_if_full();
    }
    file_.close_certificate();
  }

 private:
  void close_if_full() {
    if (file_.chunk_bytes() < file_.limits.bytes) return;
    file_.close_certificate();
    operation_before_ = 0;
  }

  std::uint64_t key(KeyId key) {
    return file_.number_of(file_.keys, Column::Keys, history_.values(), history_.key_value(key));
  }

  void add(const KeyOrder& order) {
    const std::uint64_t number = key(order.key);
    std::string& out = file_.column(Column::Orders);
    append_varint(out, number);
    out += order.complete ? '\1' : '\0';
    append_varint(out, order.installers.size());
    std::int64_t before = 0;
    for (const TransactionId installer : order.installers) {
      append_zigzag(out, std::int64_t{installer.index} - before);
      before = installer.index;
    }
  }

  void add(OperationId op, const VersionSet& set) {
    std::string& out = file_.column(Column::VersionSets);
    append_varint(out, op.index - operation_before_);
    operation_before_ = op.index;
    std::visit([&](const auto& seen) { add_seen(out, seen); }, set.seen);
  }
  void add_seen(std::string& out, const std::vector<SeenVersion>& seen) {
    out += static_cast<char>(VersionSetForm::Listed);
    append_varint(out, seen.size());
    for (const SeenVersion& version : seen) {
      append_varint(out, key(version.key));
      append_varint(out, version.installer.is_none() ? 0 : std::uint64_t{version.installer.index} + 1);
    }
  }
  static void add_seen(std::string& out, std::int64_t timestamp) {
    out += static_cast<char>(VersionSetForm::Timestamp);
    append_zigzag(out, timestamp);
  }
  static void add_seen(std::string& out, const TransactionSnapshot& snapshot) {
    out += static_cast<char>(VersionSetForm::Snapshot);
    append_varint(out, snapshot.first_running);
    append_varint(out, snapshot.first_future);
    append_varint(out, snapshot.running.size());
    for (const std::uint64_t transaction : snapshot.running) append_varint(out, transaction);
  }

  State& file_;
  const History& history_;
  std::uint32_t operation_before_ = 0;
};

BinaryWriter::BinaryWriter(Sink out, Limits limits)
    : state_(std::make_unique<State>(std::move(out), limits)) {}
BinaryWriter::BinaryWriter(BinaryWriter&&) noexcept = default;
BinaryWriter& BinaryWriter::operator=(BinaryWriter&&) noexcept = default;
BinaryWriter::~BinaryWriter() = default;

void BinaryWriter::add_header(const History& history) {
  expects(!state_->finished, "a writer that is not finished");
  std::string& initial = state_->column(Column::Initial);
  initial.clear();
  append_varint(initial, state_->code(history.values(), history.initial_value()));
  for (const auto& [name, text] : history.facts()) {
    append_text(state_->column(Column::Facts), name);
    append_text(state_->column(Column::Facts), text);
  }
  for (const SessionId session : history.sessions())
    state_->number_of(state_->sessions, Column::Sessions, history.values(), history.session_label(session));
}

void BinaryWriter::add(const History& history, IdRange<TransactionId> transactions) {
  expects(!state_->finished, "a writer that is not finished");
  expects(transactions.last <= history.transaction_count(), "transactions of this history");
  Adder adder(*state_, history);
  for (const TransactionId t : transactions) {
    adder.add(t);
    if (state_->chunk.transactions >= state_->limits.transactions ||
        state_->chunk_bytes() >= state_->limits.bytes)
      state_->close_chunk();
  }
}

void BinaryWriter::add_certificate(const History& history) {
  expects(!state_->finished, "a writer that is not finished");
  state_->close_chunk();
  expects(state_->totals.transactions == history.transaction_count(), "a file of this history alone");
  CertificateAdder(*state_, history).add();
}

void BinaryWriter::flush() { state_->close_chunk(); }

void BinaryWriter::finish() {
  expects(!state_->finished, "a writer that is not finished");
  state_->close_chunk();
  state_->write_index();
  state_->finished = true;
}

void write_binary(const History& history, const ByteOutput& out, const Notice& /*lossy*/) {
  BinaryWriter writer(out);
  writer.add_header(history);
  writer.add(history, history.transactions());
  if (!history.certificate().empty()) writer.add_certificate(history);
  writer.finish();
}

}  // namespace serval
