#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include "serval/base/byte_order.h"
#include "serval/base/folder.h"
#include "serval/formats/byte_reader.h"
#include "serval/formats/cobra/cobra_log.h"
#include "serval/formats/cobra/cobra_record.h"
#include "serval/formats/cobra/cobra_version_order.h"
#include "serval/history/history_builder.h"

namespace serval {
namespace {

namespace fs = std::filesystem;
using cobra::Times;

std::int64_t load(const char* bytes) { return static_cast<std::int64_t>(load_big_endian(bytes)); }

// How much of `start` parses as records with or without times.
struct Walk {
  std::size_t records = 0;
  bool complete = false;  // Parses to the end of `start`, where the last record may be cut off.
};

Walk walk(std::string_view start, Times times) {
  Walk walked;
  bool is_open = false;
  std::int64_t open = 0;
  while (!start.empty()) {
    const char tag = start[0];
    const std::size_t size = cobra::size_after(tag, times);
    if (size == 0 || (tag == 'S') == is_open) return walked;
    if (start.size() <= size) break;
    const std::int64_t id = load(start.data() + 1);
    if (tag == 'C' && id != open) return walked;
    if (tag == 'S') open = id;
    is_open = tag != 'C';
    start.remove_prefix(1 + size);
    ++walked.records;
  }
  walked.complete = walked.records > 0;
  return walked;
}

Times times_of(std::string_view start) {
  const Walk without = walk(start, Times::Absent), with = walk(start, Times::Present);
  if (without.complete != with.complete) return with.complete ? Times::Present : Times::Absent;
  return with.records > without.records ? Times::Present : Times::Absent;
}

// Chooses the Value of each version; see cobra_log.h.
class Versions {
 public:
  struct Version {
    std::int64_t write, transaction, value;
    friend bool operator==(const Version&, const Version&) = default;
  };

  Value name(std::int64_t key, const Version& version, ValuePool& pool) {
    const auto [first, is_new] = first_.try_emplace({key, version.write}, version);
    if (is_new || first->second == version) return pool.integer(version.write);
    return pool.text(fmt::format("{}/{}/{}", version.write, version.transaction, version.value));
  }

 private:
  absl::flat_hash_map<std::pair<std::int64_t, std::int64_t>, Version> first_;  // By key and write.
};

// What the logs of a folder share.
struct Shared {
  const ReadOptions& options;
  HistoryBuilder builder;
  Versions versions;
  std::optional<cobra::VersionOrder> order = {};  // King Cobra's, if there is one.
  std::uint64_t marks = 0;                        // Number of reads of garbage collection marks.

  void tell(const std::string& notice) const {
    if (options.on_notice) options.on_notice(notice);
  }
};

class LogReader {
 public:
  LogReader(ByteStream& stream, Shared& shared, SessionId session)
      : shared_(shared),
        session_(session),
        times_(times_of(stream.peek(kPeek))),
        bytes_(stream, shared.options) {}

  void read() {
    while (!bytes_.at_end()) {
      at_ = bytes_.position();
      const char tag = *bytes_.take(1, "a record");
      const std::size_t size = cobra::size_after(tag, times_);
      require_place(tag, size);
      if (!bytes_.has(size) && shared_.options.accept_truncated) break;
      take(tag, bytes_.take(size, "a record"));
    }
    end();
  }

 private:
  static constexpr std::size_t kPeek = 1 << 16;

  struct Open {
    TransactionId transaction;
    std::int64_t id;
    Time begin;
  };

  void require_place(char tag, std::size_t size) const {
    if (size == 0)
      bytes_.fail(at_, fmt::format("expected a record, one of S, W, R and C, but got byte 0x{:02x}",
                                   static_cast<unsigned char>(tag)));
    if (tag == 'S' && open_)
      bytes_.fail(at_, fmt::format("S before the commit of transaction {}", open_->id));
    if (tag != 'S' && !open_) bytes_.fail(at_, fmt::format("{} outside of a transaction", tag));
  }

  void take(char tag, const char* record) {
    if (tag == 'S') return start(record);
    if (tag == 'W') return write(record);
    if (tag == 'R') return read(record);
    commit(record);
  }

  void start(const char* record) {
    const std::int64_t id = load(record);
    const TransactionId t = shared_.builder.begin_transaction(session_, shared_.builder.values().integer(id));
    open_ = Open{t, id, times_ == Times::Present ? load(record + 8) : kUnknownBegin};
  }

  void commit(const char* record) {
    if (load(record) != open_->id)
      bytes_.fail(at_, fmt::format("expected the commit of transaction {}, but it is that of {}", open_->id,
                                   load(record)));
    if (times_ == Times::Present)
      shared_.builder.set_interval(open_->transaction, {open_->begin, load(record + 8)});
    open_.reset();
  }

  void write(const char* record) {
    const std::int64_t key = load(record + 8), value = load(record + 16);
    const OperationId op{static_cast<std::uint32_t>(shared_.builder.operation_count())};
    if (shared_.order) shared_.order->note_write(key, value, op);
    add(OperationKind::Write, key, {load(record), open_->id, value});
  }

  void read(const char* record) {
    const Versions::Version version{load(record + 8), load(record), load(record + 24)};
    const bool mark = version.transaction == cobra::kInitial && cobra::is_mark(version.write);
    if (mark) ++shared_.marks;
    if (!mark && !(cobra::is_before_all(version.transaction) && cobra::is_before_all(version.write)))
      return add(OperationKind::Read, load(record + 16), version);
    const KeyId key = shared_.builder.key(shared_.builder.values().integer(load(record + 16)));
    shared_.builder.add(open_->transaction, OperationKind::Read, key, Value::nil());
  }

  void add(OperationKind kind, std::int64_t key, const Versions::Version& version) {
    ValuePool& pool = shared_.builder.values();
    shared_.builder.add(open_->transaction, kind, shared_.builder.key(pool.integer(key)),
                        shared_.versions.name(key, version, pool));
  }

  // A transaction that is open at the end may or may not have committed.
  void end() {
    if (!open_ && bytes_.at_end()) return;
    if (!shared_.options.accept_truncated)
      bytes_.fail(bytes_.position(), fmt::format("the file ends inside transaction {}", open_->id),
                  "cut off by a crash? --truncated=ok takes that transaction as indeterminate");
    shared_.tell(fmt::format("{} is cut off at byte {}", bytes_.name(), at_));
    if (!open_) return;
    shared_.builder.set_outcome(open_->transaction, Outcome::Indeterminate);
    if (times_ == Times::Present)
      shared_.builder.set_interval(open_->transaction, {open_->begin, kUnknownEnd});
  }

  Shared& shared_;
  SessionId session_;
  Times times_;
  ByteReader bytes_;
  std::uint64_t at_ = 0;  // Offset of the current record.
  std::optional<Open> open_;
};

History finish(Shared& shared) {
  if (shared.order)
    shared.order->number_writes(shared.builder, [&](const std::string& notice) { shared.tell(notice); });
  if (shared.marks > 0)
    shared.tell(
        fmt::format("{} reads of marks of Cobra's garbage collection: taken as reads of the initial "
                    "version",
                    shared.marks));
  return std::move(shared.builder).freeze();
}

std::string_view stem_of(std::string_view name) {
  for (const std::string_view suffix : {".log", ".log.gz", ".log.zst"})
    if (name.ends_with(suffix)) return name.substr(0, name.size() - suffix.size());
  return {};
}

// T12.log and 12.log are session 12; the label of any other session is text.
std::string_view digits_of(std::string_view stem) {
  constexpr std::size_t kFits = 17;
  const std::string_view digits = stem.substr(stem.starts_with('T') ? 1 : 0);
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  return digits.size() <= kFits && std::ranges::all_of(digits, is_digit) ? digits : std::string_view();
}

// Sorted by number, then by name.
std::vector<fs::path> logs_in(const std::string& folder) {
  std::vector<std::pair<std::string, fs::path>> found;
  for (const fs::path& file : files_in(folder)) {
    const std::string name = file.filename().string();
    if (stem_of(name).empty()) continue;
    const std::string_view digits = digits_of(stem_of(name));
    found.emplace_back(digits.empty() ? name : fmt::format("{:0>20}", digits), file);
  }
  std::ranges::sort(found);
  std::vector<fs::path> logs;
  logs.reserve(found.size());
  for (auto& [order, path] : found) logs.push_back(std::move(path));
  return logs;
}

SessionId session_of(const fs::path& log, absl::flat_hash_set<Value>& taken, HistoryBuilder& builder) {
  const std::string name = log.filename().string();
  const std::string_view stem = stem_of(name), digits = digits_of(stem);
  Value label = digits.empty() ? builder.values().text(stem) : builder.values().number(digits);
  if (!taken.insert(label).second) label = builder.values().text(name);
  return builder.session(label);
}

}  // namespace

bool looks_like_cobra(std::string_view start) {
  constexpr std::size_t kTelling = 4;  // Text never parses as this many records by chance.
  const Walk without = walk(start, Times::Absent), with = walk(start, Times::Present);
  return without.complete || with.complete || std::max(without.records, with.records) >= kTelling;
}

History read_cobra(ByteStream& stream, const ReadOptions& options) {
  Shared shared{options, {}, {}};
  LogReader(stream, shared, shared.builder.session(Value::integer(0))).read();
  return finish(shared);
}

// One recognizable log is enough: the others may be empty, and a damaged one is reported by the reader.
bool is_cobra_folder(const std::string& path) {
  constexpr std::size_t kPeek = 1 << 16;
  return std::ranges::any_of(logs_in(path), [](const fs::path& log) {
    return looks_like_cobra(ByteStream::open(log.string()).peek(kPeek));
  });
}

History read_cobra_folder(const std::string& path, const ReadOptions& options) {
  Shared shared{options, {}, {}};
  if (const std::optional<std::string> order = cobra::find_version_order(path)) {
    ByteStream stream = ByteStream::open(*order, options.budget);
    shared.order = cobra::VersionOrder::read(stream, options);
  }
  absl::flat_hash_set<Value> taken;
  for (const fs::path& log : logs_in(path)) {
    ByteStream stream = ByteStream::open(log.string(), options.budget);
    LogReader(stream, shared, session_of(log, taken, shared.builder)).read();
  }
  return finish(shared);
}

}  // namespace serval
