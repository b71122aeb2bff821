#include "serval/check/polygraph/open_keys.h"

#include <algorithm>
#include <numeric>

#include <absl/container/flat_hash_map.h>

namespace serval {
namespace {

class Collector {
 public:
  Collector(const History& history, const Relations& relations, const Chains& chains, bool exclusive,
            Budget& budget)
      : history_(history),
        relations_(relations),
        chains_(chains),
        exclusive_(exclusive),
        budget_(budget),
        index_(history.key_count(), OpenKeys::kClosed) {}

  OpenKeys run() {
    find_keys();
    collect_writes();
    collect_reads();
    if (!relations_.ambiguous_reads.empty()) collect_many_sourced();
    open_.index_of_key = std::move(index_);
    return std::move(open_);
  }

 private:
  void open(KeyId key) {
    if (index_[key.index] != OpenKeys::kClosed) return;
    index_[key.index] = 0;
    open_.keys.push_back(key);
  }

  void find_keys() {
    for (const OperationId write : relations_.open_writes)
      if (!relations_.order_is_shown(history_.key(write))) open(history_.key(write));
    for (const DivergentWrites& pair : relations_.divergences)
      if (!relations_.order_is_shown(pair.key)) open(pair.key);
    for (const OperationId read : relations_.ambiguous_reads) open(history_.key(read));
    if (exclusive_) find_lists();
    std::ranges::sort(open_.keys);
    for (std::uint32_t i = 0; i < open_.keys.size(); ++i) index_[open_.keys[i].index] = i;
  }

  KeyId key_of(VersionId version) const {
    const OperationId write = relations_.read_write_sets.write_operation[version.index];
    return write.is_none() ? KeyId{version.index} : history_.key(write);
  }

  // Lists with several appends that nobody saw.
  void find_lists() {
    unseen_.assign(relations_.read_write_sets.versions.size(), false);
    for (std::uint32_t v = 0; v < relations_.later.rows(); ++v) {
      const std::span<const TransactionId> writers = relations_.later[v];
      const KeyId key = key_of(VersionId{v});
      if (writers.size() < 2 || !relations_.order_is_shown(key)) continue;
      open(key);
      for (const TransactionId t : writers) unseen_[access_to(t, key).written.index] = true;
    }
  }

  const Access& access_to(TransactionId t, KeyId key) const {
    return *relations_.read_write_sets.access(t, key);
  }

  bool is_list(VersionId version) const {
    const OperationId write = relations_.read_write_sets.write_operation[version.index];
    return !write.is_none() && history_.kind(write) == OperationKind::Append;
  }

  // For lists, only appends that nobody saw are open. For registers, all writes count: their order may
  // rest on assumptions, but what reads saw does not.
  bool counts(const Access& access) const {
    if (access.written.is_none() || index_[access.key.index] == OpenKeys::kClosed) return false;
    if (!is_list(access.written)) return true;
    return !relations_.order_is_shown(access.key) || (exclusive_ && unseen_[access.written.index]);
  }

  // By key, then chain, then position: a counting sort by key, then sorted within the key.
  void collect_writes() {
    std::vector<std::uint32_t> first(open_.keys.size() + 1, 0);
    const auto for_each_write = [&](auto&& visit) {
      for (const TransactionId t : history_.transactions()) {
        budget_.poll("open keys");
        if (!relations_.takes_part[t.index]) continue;
        for (const Access& access : relations_.read_write_sets.of(t))
          if (counts(access)) visit(t, access);
      }
    };
    for_each_write([&](TransactionId, const Access& access) { ++first[index_[access.key.index] + 1]; });
    std::partial_sum(first.begin(), first.end(), first.begin());
    open_.writes.resize(first.back());
    std::vector<std::uint32_t> next = first;
    for_each_write([&](TransactionId t, const Access& access) {
      open_.writes[next[index_[access.key.index]]++] = {t, access.written};
    });
    open_.key_of_write.resize(open_.writes.size());
    open_.positions.resize(open_.writes.size());
    for (std::uint32_t key = 0; key < open_.keys.size(); ++key) {
      budget_.poll("open keys");
      const auto begin = open_.writes.begin() + first[key], end = open_.writes.begin() + first[key + 1];
      std::ranges::sort(begin, end, {}, [&](const OpenKeys::Write& w) {
        return std::pair(chains_.chain[w.writer.index], chains_.position[w.writer.index]);
      });
      std::uint32_t chain = Chains::kNone;
      for (std::uint32_t w = first[key]; w < first[key + 1]; ++w) {
        open_.key_of_write[w] = key;
        open_.positions[w] = chains_.position[open_.writes[w].writer.index];
        const std::uint32_t own = chains_.chain[open_.writes[w].writer.index];
        if (own != chain) open_.entries.push_back({own, w});
        chain = own;
      }
      open_.first_entry.push_back(static_cast<std::uint32_t>(open_.entries.size()));
    }
    open_.entries.push_back({Chains::kNone, first.back()});
    write_of_version_.assign(relations_.read_write_sets.versions.size(), OpenKeys::kInitial);
    for (std::uint32_t w = 0; w < open_.writes.size(); ++w)
      write_of_version_[open_.writes[w].version.index] = w;
  }

  void collect_reads() {
    for (const TransactionId t : history_.transactions()) {
      budget_.poll("open keys");
      if (!relations_.takes_part[t.index]) continue;
      for (const Access& access : relations_.read_write_sets.of(t)) {
        if (access.read.is_none() || index_[access.key.index] == OpenKeys::kClosed) continue;
        const std::uint32_t seen = write_of_version_[access.read.index];
        if (seen != OpenKeys::kInitial)
          open_.reads.push_back({t, index_[access.key.index], seen});
        else if (access.read.index < history_.key_count() && !relations_.order_is_shown(access.key))
          open_.initial_reads.push_back({t, index_[access.key.index], seen});
      }
    }
    std::vector<OpenKeys::Read> reads = std::move(open_.reads);
    open_.reads.resize(reads.size());
    std::vector<std::uint64_t> offsets(open_.writes.size() + 1, 0);
    for (const OpenKeys::Read& read : reads) ++offsets[read.seen + 1];
    std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
    std::vector<TransactionId> readers(reads.size());
    std::vector<std::uint64_t> next = offsets;
    for (const OpenKeys::Read& read : reads) {
      const std::uint64_t position = next[read.seen]++;
      readers[position] = read.reader;
      open_.reads[position] = read;
    }
    open_.readers = {std::move(offsets), std::move(readers)};
  }

  struct Source {
    TransactionId writer;
    std::uint32_t write;  // kInitial for a writer that does not participate.
  };

  // The writers of each value of the keys with such reads.
  void collect_many_sourced() {
    std::vector<bool> wanted(history_.key_count(), false);
    for (const OperationId read : relations_.ambiguous_reads) wanted[history_.key(read).index] = true;
    absl::flat_hash_map<std::pair<std::uint32_t, std::uint64_t>, std::vector<Source>> sources;
    const ReadWriteSets& read_write_sets = relations_.read_write_sets;
    for (const TransactionId t : history_.transactions())
      for (const Access& access : read_write_sets.of(t)) {
        budget_.poll("open keys");
        if (access.written.is_none() || !wanted[access.key.index]) continue;
        const Value value = history_.value(read_write_sets.write_operation[access.written.index]);
        const bool counted = relations_.takes_part[t.index];
        sources[{access.key.index, value.bits()}].push_back(
            {t, counted ? write_of_version_[access.written.index] : OpenKeys::kInitial});
      }
    absl::flat_hash_map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> lists;
    for (const OperationId read : relations_.ambiguous_reads) {
      budget_.poll("open keys");
      const Value value = value_seen(history_, read);
      const std::pair read_from{history_.key(read).index, value.bits()};
      const auto [list, fresh] =
          lists.try_emplace(read_from, static_cast<std::uint32_t>(open_.source_lists.rows()));
      if (fresh) {
        const auto found = sources.find(read_from);
        add_source_list(value.is_nil() || value == history_.initial_value(),
                        found == sources.end() ? std::vector<Source>{} : found->second);
      }
      add_many_sourced(read, list->second);
    }
    std::ranges::stable_sort(open_.many_sourced, {}, &OpenKeys::ManySourced::reader);
  }

  void add_source_list(bool initial, const std::vector<Source>& sources) {
    std::vector<std::uint32_t> list;
    for (const Source& source : sources) {
      if (source.write == OpenKeys::kInitial)
        open_.has_optional_sources = true;
      else
        list.push_back(source.write);
    }
    std::ranges::sort(list);
    if (initial) list.push_back(OpenKeys::kInitial);
    open_.source_lists.push_row(list);
  }

  void add_many_sourced(OperationId read, std::uint32_t list) {
    const TransactionId reader = history_.transaction_of(read);
    const Access& access = access_to(reader, history_.key(read));
    const std::uint32_t own =
        access.written.is_none() ? OpenKeys::kInitial : write_of_version_[access.written.index];
    open_.many_sourced.push_back({reader, read, index_[history_.key(read).index], list,
                                  own == OpenKeys::kInitial ? OpenKeys::kNothing : own});
  }

  const History& history_;
  const Relations& relations_;
  const Chains& chains_;
  bool exclusive_;
  Budget& budget_;
  std::vector<std::uint32_t> index_;             // By key: its index among the open keys.
  std::vector<bool> unseen_;                     // By version, if unseen appends count.
  std::vector<std::uint32_t> write_of_version_;  // By version.
  OpenKeys open_;
};

}  // namespace

OpenKeys find_open_keys(const History& history, const Relations& relations, const Chains& chains,
                        bool exclusive, Budget& budget) {
  return Collector(history, relations, chains, exclusive, budget).run();
}

}  // namespace serval
