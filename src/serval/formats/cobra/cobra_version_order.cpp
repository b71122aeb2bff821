#include "serval/formats/cobra/cobra_version_order.h"

#include <algorithm>
#include <filesystem>

#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include "serval/base/byte_order.h"
#include "serval/base/error.h"
#include "serval/base/folder.h"
#include "serval/formats/byte_reader.h"

namespace serval::cobra {
namespace {

namespace fs = std::filesystem;

class Numbers {
 public:
  Numbers(ByteStream& stream, const ReadOptions& options) : options_(options), bytes_(stream, options) {}

  // None where the file is cut off, if that is accepted.
  std::optional<std::int64_t> next(std::string_view what) {
    at_ = bytes_.position();
    if (!bytes_.has(8) && options_.accept_truncated) return std::nullopt;
    if (!bytes_.has(8)) fail_at_end(what);
    return static_cast<std::int64_t>(load_big_endian(bytes_.take(8, what)));
  }
  std::optional<std::int64_t> count(std::string_view what) {
    const std::optional<std::int64_t> number = next(what);
    if (number && *number < 0) fail(fmt::format("{} is negative: {}", what, *number));
    return number;
  }
  [[noreturn]] void fail_at_end(std::string_view what) {
    std::size_t left = 7;
    while (left > 0 && !bytes_.has(left)) --left;
    bytes_.fail(at_ + left, fmt::format("the file ends inside {}", what),
                "cut off by a crash? --truncated=ok takes what it lists up to this point");
  }
  [[noreturn]] void fail(const std::string& problem) const { bytes_.fail(at_, problem); }
  void require_end() {
    at_ = bytes_.position();
    if (!bytes_.at_end()) fail("expected the end of the file after the last key");
  }
  const std::string& name() const { return bytes_.name(); }
  std::uint64_t at() const { return at_; }

 private:
  const ReadOptions& options_;
  ByteReader bytes_;
  std::uint64_t at_ = 0;  // Offset of the last number.
};

bool is_version_order(const fs::path& file) {
  const std::string name = file.filename().string();
  return name.ends_with(".vo") || name.ends_with(".vo.gz") || name.ends_with(".vo.zst");
}

std::optional<std::string> only_one_in(const fs::path& folder) {
  std::vector<std::string> found;
  for (const fs::path& file : files_in(folder))
    if (is_version_order(file)) found.push_back(file.string());
  if (found.size() > 1)
    throw InputError({found[1]}, "a second version order, beside " + found[0], {},
                     "keep the one that belongs to the logs");
  return found.empty() ? std::nullopt : std::optional(found[0]);
}

}  // namespace

VersionOrder VersionOrder::read(ByteStream& stream, const ReadOptions& options) {
  VersionOrder order;
  Numbers numbers(stream, options);
  absl::flat_hash_set<std::int64_t> keys;
  const auto cut = [&] {
    if (options.on_notice)
      options.on_notice(fmt::format("{} is cut off at byte {}", numbers.name(), numbers.at()));
    return std::move(order);
  };
  const auto key_count = numbers.count("the number of keys");
  if (!key_count) return cut();
  for (std::int64_t k = 0; k < *key_count; ++k) {
    const auto key = numbers.next("a key");
    if (!key) return cut();
    if (!keys.insert(*key).second) numbers.fail(fmt::format("key {} for the second time", *key));
    const auto versions = numbers.count("a number of versions");
    if (!versions) return cut();
    for (std::int64_t place = 1; place <= *versions; ++place) {
      const auto value = numbers.next("a version");
      if (!value) return cut();
      if (!order.listed_.try_emplace({*key, *value}, Listed{place}).second)
        numbers.fail(fmt::format("version {} of key {} for the second time", *value, *key));
    }
  }
  numbers.require_end();
  return order;
}

void VersionOrder::note_write(std::int64_t key, std::int64_t value, OperationId op) {
  const auto found = listed_.find({key, value});
  if (found == listed_.end()) return;
  found->second.ambiguous = !found->second.write.is_none();
  found->second.write = op;
}

void VersionOrder::number_writes(HistoryBuilder& builder, const Notice& tell) const {
  std::vector<std::pair<OperationId, std::int64_t>> numbered;
  std::size_t unwritten = 0, ambiguous = 0;
  for (const auto& [name, listed] : listed_) {
    if (listed.write.is_none()) ++unwritten;
    if (listed.ambiguous) ++ambiguous;
    if (!listed.write.is_none() && !listed.ambiguous) numbered.emplace_back(listed.write, listed.place);
  }
  std::ranges::sort(numbered);
  for (const auto& [op, place] : numbered) builder.set_version(op, place);
  if (unwritten > 0)
    tell(fmt::format("{} versions in the version order that no log writes: passed over", unwritten));
  if (ambiguous > 0)
    tell(fmt::format("{} versions in the version order that were written more than once: passed over",
                     ambiguous));
}

std::optional<std::string> find_version_order(const std::string& logs) {
  const fs::path folder = fs::path(logs).lexically_normal();
  if (auto found = only_one_in(folder)) return found;
  std::error_code nowhere;  // Ignored: the working directory may have been removed.
  fs::path whole = fs::absolute(folder, nowhere).lexically_normal();
  if (!whole.has_filename()) whole = whole.parent_path();
  if (whole.filename() != "history") return std::nullopt;
  return only_one_in((folder / "..").lexically_normal());
}

std::string format_version_order(const std::vector<KeyVersions>& keys) {
  std::string bytes;
  const auto put = [&](std::int64_t number) { append_big_endian(bytes, static_cast<std::uint64_t>(number)); };
  put(static_cast<std::int64_t>(keys.size()));
  for (const KeyVersions& key : keys) {
    put(key.key);
    put(static_cast<std::int64_t>(key.values.size()));
    for (const std::int64_t value : key.values) put(value);
  }
  return bytes;
}

}  // namespace serval::cobra
