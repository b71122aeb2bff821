// Converts from every format to every other one: a plain history of registers means the same in each of
// them.

#include <filesystem>

#include <gtest/gtest.h>
#include <unistd.h>

#include "formats/arbitrary_history.h"
#include "formats/every_format.h"
#include "register_histories.h"
#include "sample.h"

namespace serval {
namespace {

namespace fs = std::filesystem;

// Committed transactions of three sessions. Every value is written once, and every read saw a write of
// another or an earlier transaction.
History plain_history(std::uint64_t seed) {
  Random random(seed);
  HistoryBuilder builder;
  builder.set_initial_value(Value::integer(0));
  for (std::int64_t s = 0; s < 3; ++s) builder.session(Value::integer(s));
  std::vector<std::pair<KeyId, Value>> written;
  std::int64_t next = 1;
  for (std::int64_t number = 0; number < 15; ++number) {
    const SessionId session{static_cast<std::uint32_t>(number < 3 ? number : random.below(3))};
    const TransactionId t = builder.begin_transaction(session, Value::integer(number));
    const std::size_t before = written.size();
    for (int step = 0; step < 3; ++step) {
      const KeyId key = builder.key(Value::integer(static_cast<std::int64_t>(random.below(4))));
      if (before == 0 || random.below(2) == 0) {
        written.emplace_back(key, Value::integer(next++));
        builder.add(t, OperationKind::Write, key, written.back().second);
      } else {
        const auto& [seen, value] = written[random.below(before)];
        builder.add(t, OperationKind::Read, seen, value);
      }
    }
  }
  return std::move(builder).freeze();
}

class Conversion : public testing::TestWithParam<Format> {
 protected:
  Conversion() : folder_(fs::path(testing::TempDir()) / ("serval-convert-" + std::to_string(::getpid()))) {
    fs::create_directories(folder_);
  }
  ~Conversion() override { fs::remove_all(folder_); }
  // Through a file or folder, whose format is then detected.
  History through(const History& history, Format format) const {
    const fs::path path = folder_ / ("history-of-" + std::string(info(format).name));
    fs::remove_all(path);
    write_history(history, format, path.string());
    ReadOptions options;
    options.on_format = [format](const FormatInfo& row) { EXPECT_EQ(row.format, format) << row.name; };
    return read_history(path.string(), options);
  }
  fs::path folder_;
};

TEST_P(Conversion, KeepsTheMeaningInEveryOtherFormat) {
  for (const std::uint64_t seed : fresh_seeds(5)) {
    const History history = plain_history(seed);
    const History there = through(history, GetParam());
    EXPECT_EQ(meaning_of(there), meaning_of(history));
    for (const FormatInfo& row : all_formats()) {
      if (row.write == nullptr) continue;
      EXPECT_EQ(meaning_of(through(there, row.format)), meaning_of(history)) << "to " << row.name;
    }
  }
}

// Whatever is written can be read, however odd. What a format cannot express is refused.
TEST_P(Conversion, WritesNothingThatItCannotReadBack) {
  int written = 0;
  for (const std::uint64_t seed : fresh_seeds(sample_of(300, 10))) {
    ArbitraryOptions options{.transactions = static_cast<int>(seed % 7)};
    options.certificates = ArbitraryOptions::Certificates::Some;
    if (seed % 2 == 0) options.kinds = kinds_without_lists();
    if (seed % 3 == 0) options.values = ArbitraryOptions::Values::Integers;
    const History history = arbitrary_history(seed, options);
    const fs::path path = folder_ / "odd";
    fs::remove_all(path);
    try {
      write_history(history, GetParam(), path.string());
    } catch (const std::runtime_error&) {
      continue;
    }
    ++written;
    EXPECT_NO_THROW(read_history(path.string(), {.format = GetParam()})) << "seed " << seed;
  }
  EXPECT_GT(written, 0);
}

INSTANTIATE_TEST_SUITE_P(FromEveryFormat, Conversion, testing::ValuesIn(writable_formats()), test_name_of);

}  // namespace
}  // namespace serval
