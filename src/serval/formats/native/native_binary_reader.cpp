#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "serval/formats/cut_off_reads.h"
#include "serval/formats/native/binary_chunk.h"
#include "serval/formats/native/binary_column.h"
#include "serval/formats/native/native_binary.h"
#include "serval/formats/reserve_columns.h"
#include "serval/history/certificate_flaw.h"
#include "serval/history/history_builder.h"

namespace serval {
namespace {

using namespace binary;  // NOLINT(google-build-using-namespace): the names of the layout, all of them.

constexpr int kMaxDepth = 1000;  // Of predicate trees and lists; protects the stack.
constexpr std::uint64_t kMaxListSize = 1 << 24;

// Maps the file's numbers of names to ids in the history being built.
struct Names {
  std::vector<Value> spellings, lists;
  std::vector<std::pair<int, std::uint64_t>>
      list_sizes;  // By list: its depth, and its size when spelled out.
  std::vector<KeyId> keys;
  std::vector<SessionId> sessions;
  std::vector<PredicateId> predicates;
};

// Decodes one chunk of transactions into the builder.
class ChunkDecoder {
 public:
  ChunkDecoder(Names& names, HistoryBuilder& builder) : names_(names), builder_(builder) {}

  // Throws BadColumn.
  void decode(std::string_view plain) {
    split(plain);
    ColumnCursor& counts = column(Column::Counts);
    transactions = counts.varint();
    operations = counts.varint();
    check_counts();
    read_names();
    for (std::uint64_t t = 0; t < transactions; ++t) transaction(t);
    if (next_operation_ != operations) throw BadColumn{"the sizes do not add up to the operations"};
    for (const ColumnCursor& cursor : columns_)
      if (!cursor.at_end()) throw BadColumn{"a column has bytes left over"};
  }

  // Decodes a chunk of the certificate instead. `next_operation` is the first one that may still get a
  // version set.
  void decode_certificate(std::string_view plain, std::uint64_t& next_operation) {
    split(plain);
    read_names();
    if (ColumnCursor& at = column(Column::OrderedByCommit); !at.at_end()) {
      if (at.byte() != 1) throw BadColumn{"an order of versions is of an unknown kind"};
      builder_.set_ordered_by_commit();
    }
    for (ColumnCursor& at = column(Column::Orders); !at.at_end();) builder_.add_order(order(at));
    std::uint64_t op = 0;
    for (ColumnCursor& at = column(Column::VersionSets); !at.at_end();) {
      op += at.below(builder_.operation_count() - op, "a version set of no operation");
      if (op < next_operation) throw BadColumn{"a version set is out of order"};
      builder_.add_version_set(OperationId{static_cast<std::uint32_t>(op)}, version_set(at));
      next_operation = op + 1;
    }
    for (const ColumnCursor& cursor : columns_)
      if (!cursor.at_end()) throw BadColumn{"a column has bytes left over"};
  }

  std::uint64_t transactions = 0, operations = 0;
  std::uint64_t unknown_columns = 0;
  Time first_begin = kUnknownBegin, last_end = kUnknownEnd;

 private:
  ColumnCursor& column(Column id) { return columns_[static_cast<std::size_t>(id)]; }

  static bool is_known(std::uint64_t id) {
    return (id >= 1 && id <= 8) || (id >= 16 && id <= 22) || (id >= 32 && id <= 38) || (id >= 48 && id <= 50);
  }
  void split(std::string_view plain) {
    ColumnCursor directory(plain);
    std::array<bool, kColumnIds> seen{};
    while (!directory.at_end()) {
      const std::uint64_t id = directory.varint();
      const std::string_view bytes = directory.text();
      if (!is_known(id)) {
        ++unknown_columns;
        continue;
      }
      if (std::exchange(seen[id], true)) throw BadColumn{"a column occurs twice"};
      columns_[id] = ColumnCursor(bytes);
    }
  }

  void check_counts() {
    if (transactions > column(Column::Session).left() || operations > column(Column::Kind).left())
      throw BadColumn{"a count is larger than its column"};
    if (builder_.transaction_count() + transactions >= 0xFFFFFFFFu ||
        builder_.operation_count() + operations >= 0xFFFFFFFFu)
      throw BadColumn{"a history has fewer than 2^32 - 1 transactions and operations"};
    has_outcomes_ = !column(Column::Outcome).at_end();
    has_times_ = !column(Column::Begin).at_end();
    has_operation_times_ = !column(Column::OperationBegin).at_end();
  }

  // Names. A kind is read after the other kinds that it refers to.

  void read_names() {
    for (ColumnCursor& at = column(Column::Spellings); !at.at_end();) spelling(at);
    for (ColumnCursor& at = column(Column::Lists); !at.at_end();) list(at);
    for (ColumnCursor& at = column(Column::Keys); !at.at_end();)
      names_.keys.push_back(builder_.key(value(at)));
    for (ColumnCursor& at = column(Column::Sessions); !at.at_end();)
      names_.sessions.push_back(builder_.session(value(at)));
    for (ColumnCursor& at = column(Column::Predicates); !at.at_end();)
      names_.predicates.push_back(builder_.predicate(tree(at, 0)));
    if (!column(Column::Initial).at_end()) builder_.set_initial_value(value(column(Column::Initial)));
    for (ColumnCursor& at = column(Column::Facts); !at.at_end();) {
      const std::string name(at.text());
      builder_.set_fact(name, std::string(at.text()));
    }
  }

  void spelling(ColumnCursor& at) {
    const std::uint64_t kind = at.varint();
    const std::string_view characters = at.text();
    ValuePool& pool = builder_.values();
    if (kind == static_cast<std::uint64_t>(Value::Kind::Number)) {
      names_.spellings.push_back(pool.number(characters));
    } else if (kind == static_cast<std::uint64_t>(Value::Kind::Text)) {
      names_.spellings.push_back(pool.text(characters));
    } else if (kind == static_cast<std::uint64_t>(Value::Kind::Row)) {
      names_.spellings.push_back(pool.row(characters));
    } else {
      throw BadColumn{"a spelling is of an unknown kind"};
    }
  }

  void list(ColumnCursor& at) {
    std::vector<Value> elements(at.count());
    int depth = 1;
    std::uint64_t size = 1;
    for (Value& element : elements) {
      element = value(at);
      const auto [below, large] = element.is_list() ? size_of_list(element) : std::pair(0, std::uint64_t{1});
      depth = std::max(depth, below + 1);
      size += large;
    }
    if (depth > kMaxDepth) throw BadColumn{"a list is nested too deep"};
    if (size > kMaxListSize) throw BadColumn{"a list is too large when it is spelled out"};
    names_.lists.push_back(builder_.values().list(elements));
    remember_size(names_.lists.back(), {depth, size});
  }
  // Lists share their parts, so a few bytes can represent a list of any depth and size.
  std::pair<int, std::uint64_t> size_of_list(Value list) const {
    return names_.list_sizes[list.pool_index()];
  }
  void remember_size(Value list, std::pair<int, std::uint64_t> size) {
    if (names_.list_sizes.size() <= list.pool_index()) names_.list_sizes.resize(list.pool_index() + 1);
    names_.list_sizes[list.pool_index()] = size;
  }

  Value value(ColumnCursor& at) {
    const std::uint64_t code = at.varint();
    if ((code & 7) == 0) return Value::integer(static_cast<std::int64_t>(unzigzag(code >> 3)));
    return uncommon_value(code);
  }
  Value uncommon_value(std::uint64_t code) const {
    const Value found = Value::from_bits(code);
    switch (found.kind()) {
      case Value::Kind::Number:
      case Value::Kind::Text:
      case Value::Kind::Row:
        if (found.pool_index() >= names_.spellings.size()) throw BadColumn{"a spelling is not there"};
        if (names_.spellings[found.pool_index()].kind() != found.kind())
          throw BadColumn{"a spelling is of another kind"};
        return names_.spellings[found.pool_index()];
      case Value::Kind::List:
        if (found.pool_index() >= names_.lists.size()) throw BadColumn{"a list is not there"};
        return names_.lists[found.pool_index()];
      case Value::Kind::Boolean:
        if (found.pool_index() > 1) throw BadColumn{"a boolean is neither true nor false"};
        return found;
      default:
        if (found != Value::nil() && found != Value::unknown()) throw BadColumn{"a value is of no kind"};
        return found;
    }
  }

  Predicate tree(ColumnCursor& at, int depth) {
    if (depth >= kMaxDepth) throw BadColumn{"a predicate is nested too deep"};
    Predicate node;
    const std::uint8_t kind = at.byte();
    if (kind > static_cast<std::uint8_t>(Predicate::Node::Set)) throw BadColumn{"an unknown predicate node"};
    node.node = static_cast<Predicate::Node>(kind);
    node.name = at.text();
    node.literal = value(at);
    for (std::size_t children = at.count(); children > 0; --children)
      node.children.push_back(tree(at, depth + 1));
    return node;
  }

  KeyId key(ColumnCursor& at) { return names_.keys[at.below(names_.keys.size(), "a key is not there")]; }

  // Transactions.

  void transaction(std::uint64_t index) {
    const std::uint64_t session =
        column(Column::Session).below(names_.sessions.size(), "a session is not there");
    label_ += unzigzag(column(Column::Label).varint());
    const Value label = (label_ & 7) == 0 ? Value::integer(static_cast<std::int64_t>(unzigzag(label_ >> 3)))
                                          : uncommon_value(label_);
    const TransactionId t = builder_.begin_transaction(names_.sessions[session], label);
    if (has_outcomes_) outcome(t);
    if (has_times_) times(t);
    if (next_hint_ == kNone) next_hint_ = next_index(Column::Hints, index);
    if (next_hint_ == index) builder_.set_hints(t, hints());
    const std::uint64_t size =
        column(Column::Size).below(operations - next_operation_ + 1, "the sizes exceed the operations");
    add_operations(t, size);
  }

  void outcome(TransactionId t) {
    const std::uint8_t outcome = column(Column::Outcome).byte();
    if (outcome > static_cast<std::uint8_t>(Outcome::Indeterminate)) throw BadColumn{"an unknown outcome"};
    builder_.set_outcome(t, static_cast<Outcome>(outcome));
  }

  static Interval interval(ColumnCursor& begins, ColumnCursor& ends, std::uint64_t& begin) {
    begin += unzigzag(begins.varint());
    const std::uint64_t end = begin + unzigzag(ends.varint());
    return {static_cast<Time>(begin), static_cast<Time>(end)};
  }
  void times(TransactionId t) {
    const Interval time = interval(column(Column::Begin), column(Column::End), begin_);
    builder_.set_interval(t, time);
    if (time.begin != kUnknownBegin && (first_begin == kUnknownBegin || time.begin < first_begin))
      first_begin = time.begin;
    if (time.end != kUnknownEnd && (last_end == kUnknownEnd || time.end > last_end)) last_end = time.end;
  }

  // Entries of the sparse columns are in ascending order.
  std::uint64_t next_index(Column id, std::uint64_t at_least) {
    if (column(id).at_end()) return kNone;
    const std::uint64_t index = column(id).varint();
    if (index < at_least) throw BadColumn{"a column is out of order"};
    return index;
  }

  TransactionHints hints() {
    ColumnCursor& at = column(Column::Hints);
    next_hint_ = kNone;
    TransactionHints hints;
    const std::uint8_t flags = at.byte();
    if (flags >= kHintError * 2) throw BadColumn{"an unknown hint"};
    if ((flags & kHintStart) != 0) hints.start_timestamp = at.zigzag();
    if ((flags & kHintCommit) != 0) hints.commit_timestamp = at.zigzag();
    if ((flags & kHintServer) != 0) hints.server_transaction = at.text();
    if ((flags & kHintSnapshot) != 0) hints.snapshot = at.text();
    if ((flags & kHintNode) != 0) hints.node = at.text();
    if ((flags & kHintError) != 0) hints.error = at.text();
    return hints;
  }

  // Operations.

  void add_operations(TransactionId t, std::uint64_t size) {
    for (const std::uint64_t last = next_operation_ + size; next_operation_ < last; ++next_operation_) {
      const std::uint8_t kind = column(Column::Kind).byte();
      if (kind > static_cast<std::uint8_t>(OperationKind::PredicateDelete))
        throw BadColumn{"an unknown kind of operation"};
      add_operation(t, static_cast<OperationKind>(kind));
    }
  }

  void add_operation(TransactionId t, OperationKind kind) {
    const std::uint64_t key = column(Column::Key).below(names_.keys.size() + 1, "a key is not there");
    const Value found = value(column(Column::Value));
    if (is_predicate(kind) != (key == 0)) throw BadColumn{"an operation has the wrong sort of key"};
    if (next_rare_ == kNone) next_rare_ = next_index(Column::Rare, next_operation_);
    const KeyId key_id = key == 0 ? KeyId::none() : names_.keys[key - 1];
    if (has_operation_times_ || is_conditional(kind) || next_rare_ == next_operation_) {
      add_whole(t, kind, key_id, found);
    } else {
      builder_.add(t, kind, key_id, found);
    }
  }

  void add_whole(TransactionId t, OperationKind kind, KeyId key, Value found) {
    Operation op{.kind = kind, .key = key, .value = found};
    if (is_conditional(kind)) op.expected = value(column(Column::Expected));
    if (has_operation_times_)
      op.time = interval(column(Column::OperationBegin), column(Column::OperationEnd), operation_begin_);
    if (next_rare_ == next_operation_) rare(op);
    builder_.add(t, op);
  }

  void rare(Operation& op) {
    ColumnCursor& at = column(Column::Rare);
    next_rare_ = kNone;
    const std::uint8_t flags = at.byte();
    if (flags >= kRareChanged * 2) throw BadColumn{"an unknown member of an operation"};
    if ((flags & kRarePredicate) != 0)
      op.predicate = names_.predicates[at.below(names_.predicates.size(), "a predicate is not there")];
    if ((flags & kRareRows) != 0) {
      for (std::size_t rows = at.count(); rows > 0; --rows) {
        const KeyId row_key = key(at);
        op.rows.push_back({row_key, value(at)});
      }
    }
    if ((flags & kRareVersion) != 0) op.version = at.zigzag();
    if ((flags & kRareMatched) != 0) op.rows_matched = at.zigzag();
    if ((flags & kRareChanged) != 0) op.rows_changed = at.zigzag();
  }

  // The certificate.

  TransactionId cited_transaction(std::uint64_t number) {
    if (number >= builder_.transaction_count()) throw BadColumn{"a transaction is not there"};
    return TransactionId{static_cast<std::uint32_t>(number)};
  }

  KeyOrder order(ColumnCursor& at) {
    KeyOrder order{.key = key(at), .installers = {}, .complete = at.byte() != 0};
    std::uint64_t installer = 0;
    for (std::size_t left = at.count(); left > 0; --left) {
      installer += static_cast<std::uint64_t>(at.zigzag());
      order.installers.push_back(cited_transaction(installer));
    }
    return order;
  }

  VersionSet version_set(ColumnCursor& at) {
    switch (static_cast<VersionSetForm>(at.byte())) {
      case VersionSetForm::Listed:
        return {listed_versions(at)};
      case VersionSetForm::Timestamp:
        return {at.zigzag()};
      case VersionSetForm::Snapshot:
        break;
      default:
        throw BadColumn{"a version set is of an unknown form"};
    }
    TransactionSnapshot snapshot{.first_running = at.varint(), .first_future = at.varint(), .running = {}};
    for (std::size_t left = at.count(); left > 0; --left) snapshot.running.push_back(at.varint());
    if (!is_consistent(snapshot)) throw BadColumn{"a snapshot contradicts itself"};
    return {std::move(snapshot)};
  }
  std::vector<SeenVersion> listed_versions(ColumnCursor& at) {
    std::vector<SeenVersion> seen(at.count());
    for (SeenVersion& version : seen) {
      version.key = key(at);
      const std::uint64_t installer = at.varint();
      if (installer > 0) version.installer = cited_transaction(installer - 1);
    }
    if (find_repeated_key(seen)) throw BadColumn{"a version set names a key twice"};
    return seen;
  }

  static constexpr std::uint64_t kNone = ~std::uint64_t{0};

  Names& names_;
  HistoryBuilder& builder_;
  std::array<ColumnCursor, kColumnIds> columns_;
  bool has_outcomes_ = false, has_times_ = false, has_operation_times_ = false;
  std::uint64_t label_ = 0, begin_ = 0, operation_begin_ = 0;
  std::uint64_t next_operation_ = 0;
  std::uint64_t next_hint_ = kNone, next_rare_ = kNone;
};

class BinaryReader {
 public:
  BinaryReader(ByteStream& stream, const ReadOptions& options)
      : stream_(stream), options_(options), source_(stream) {}

  History read() {
    source_.read_file_header();
    while (!finished_) {
      const std::optional<Chunk> chunk = source_.next();
      if (!chunk) break;
      accept(*chunk);
      if (options_.budget != nullptr) options_.budget->look("read");
      if (options_.on_progress) options_.on_progress(stream_.read_from_disk(), stream_.size_on_disk());
    }
    report();
    History history = std::move(builder_).freeze();
    if (const std::optional<OrderFlaw> flaw = find_order_flaw(history))
      source_.fail(certificate_at_, flaw->problem);
    if (!finished_ && options_.on_cut_off) options_.on_cut_off();
    return finished_ ? std::move(history) : without_cut_off_reads(std::move(history), options_.on_notice);
  }

 private:
  void accept(const Chunk& chunk) {
    if (chunk.kind == static_cast<std::uint8_t>(ChunkKind::Transactions)) {
      transactions(chunk);
    } else if (chunk.kind == static_cast<std::uint8_t>(ChunkKind::Certificate)) {
      certificate(chunk);
    } else if (chunk.kind == static_cast<std::uint8_t>(ChunkKind::Footer)) {
      footer(chunk);
      source_.read_trailer(chunk.offset);
      finished_ = true;
    } else {
      ++unknown_chunks_;
    }
  }

  template <class Step>
  void decode(const Chunk& chunk, const Step& step) const {
    try {
      step();
    } catch (const BadColumn& bad) {
      source_.fail(chunk.offset, fmt::format("in this chunk, {}", bad.problem));
    }
  }

  void transactions(const Chunk& chunk) {
    ChunkDecoder decoder(names_, builder_);
    IndexEntry entry;
    entry.offset = chunk.offset;
    entry.size = chunk.size;
    entry.first_transaction = builder_.transaction_count();
    entry.first_operation = builder_.operation_count();
    decode(chunk, [&] { decoder.decode(chunk.plain); });
    entry.transactions = decoder.transactions;
    entry.operations = decoder.operations;
    entry.first_begin = decoder.first_begin;
    entry.last_end = decoder.last_end;
    if (index_.empty()) reserve_columns(builder_, chunk.size, stream_.size_on_disk());
    index_.push_back(entry);
    unknown_columns_ += decoder.unknown_columns;
  }

  void certificate(const Chunk& chunk) {
    ChunkDecoder decoder(names_, builder_);
    certificate_at_ = chunk.offset;
    decode(chunk, [&] { decoder.decode_certificate(chunk.plain, next_version_set_); });
    unknown_columns_ += decoder.unknown_columns;
  }

  // Reading does not need the index, so it serves as a check: it detects a chunk removed from the file.
  void footer(const Chunk& chunk) {
    const IndexTotals totals{index_.size(), builder_.transaction_count(), builder_.operation_count()};
    if (chunk.plain != footer_of(index_, totals))
      source_.fail(chunk.offset, "the index does not match the chunks before it");
  }

  void report() const {
    if (!options_.on_notice) return;
    if (!source_.problem().empty()) {
      options_.on_notice(source_.problem() +
                         (finished_ ? "; nothing is lost" : "; what was recorded after it is lost"));
    } else if (!finished_) {
      options_.on_notice("the file has no index: it was never finished, and ends after its last whole chunk");
    }
    if (unknown_chunks_ > 0)
      options_.on_notice(fmt::format("{} chunk(s) of an unknown kind skipped", unknown_chunks_));
    if (unknown_columns_ > 0)
      options_.on_notice(fmt::format("{} column(s) of an unknown kind skipped", unknown_columns_));
  }

  ByteStream& stream_;
  const ReadOptions& options_;
  ChunkSource source_;
  Names names_;
  HistoryBuilder builder_;
  std::vector<IndexEntry> index_;
  std::uint64_t unknown_chunks_ = 0, unknown_columns_ = 0;
  std::uint64_t next_version_set_ = 0;
  std::uint64_t certificate_at_ = 0;  // Offset of its last chunk.
  bool finished_ = false;
};

}  // namespace

bool looks_like_binary(std::string_view start) { return start.starts_with(kFileMagic); }

History read_binary(ByteStream& stream, const ReadOptions& options) {
  return BinaryReader(stream, options).read();
}

}  // namespace serval
