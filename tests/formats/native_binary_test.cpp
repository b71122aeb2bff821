#include "serval/formats/native/native_binary.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "formats/arbitrary_history.h"
#include "history_equality.h"
#include "sample.h"
#include "serval/base/error.h"
#include "serval/formats/native/binary_chunk.h"
#include "serval/history/notation.h"

namespace serval {
namespace {

struct BinaryReading {
  History history;
  std::vector<std::string> notices;
};

BinaryReading read_bytes(const std::string& bytes) {
  BinaryReading reading;
  ByteStream stream = ByteStream::from_memory("test.srv", bytes);
  ReadOptions options;
  options.on_notice = [&](const std::string& notice) { reading.notices.push_back(notice); };
  reading.history = read_binary(stream, options);
  return reading;
}

std::string binary_error(const std::string& bytes) {
  try {
    read_bytes(bytes);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

std::string binary_of(const History& history, BinaryWriter::Limits limits) {
  std::string bytes;
  BinaryWriter writer([&](std::string_view piece) { bytes += piece; }, limits);
  writer.add_header(history);
  writer.add(history, history.transactions());
  if (!history.certificate().empty()) writer.add_certificate(history);
  writer.finish();
  return bytes;
}

// The offsets at which the chunks of a file begin, and the offset of its end.
std::vector<std::size_t> chunk_offsets(const std::string& bytes) {
  std::vector<std::size_t> offsets;
  std::size_t at = binary::kFileHeaderSize;
  while (at + binary::kTrailerSize < bytes.size()) {
    offsets.push_back(at);
    at += binary::kChunkHeaderSize + load_little_endian(bytes.data() + at + 8);
  }
  offsets.push_back(at);
  return offsets;
}

bool is_beginning(const History& part, const History& whole) {
  const std::vector<std::string> some = transaction_order(part), all = transaction_order(whole);
  return some.size() <= all.size() && std::equal(some.begin(), some.end(), all.begin());
}

RC_GTEST_PROP(NativeBinary, KeepsEveryMemberOfEveryHistory, (std::uint64_t seed)) {
  const History history = arbitrary_history(seed, {.transactions = *rc::gen::inRange(0, 20)});
  const auto per_chunk = *rc::gen::inRange<std::uint32_t>(1, 25);
  const BinaryReading reading = read_bytes(binary_of(history, {.transactions = per_chunk}));
  RC_ASSERT(difference(history, reading.history) == "");
  RC_ASSERT(transaction_order(history) == transaction_order(reading.history));
  RC_ASSERT(reading.notices.empty());
}

RC_GTEST_PROP(NativeBinary, KeepsEveryCertificate, (std::uint64_t seed)) {
  const History history = arbitrary_history(
      seed, {.transactions = *rc::gen::inRange(0, 20), .certificates = ArbitraryOptions::Certificates::Some});
  const auto bytes = *rc::gen::inRange<std::size_t>(1, 200);
  const BinaryReading reading = read_bytes(binary_of(history, {.bytes = bytes}));
  RC_ASSERT(difference(history, reading.history) == "");
  RC_ASSERT(reading.notices.empty());
}

TEST(NativeBinary, RefusesACertificateOfMissingTransactions) {
  const History history = arbitrary_history(3, {.transactions = 2});
  const auto with_certificate = [&](binary::Column column, std::string_view content) {
    std::string plain;
    append_varint(plain, static_cast<std::uint64_t>(column));
    append_text(plain, content);
    const std::string bytes = binary_of(history, {});
    const std::vector<std::size_t> offsets = chunk_offsets(bytes);
    return bytes.substr(0, offsets[1]) +
           binary::seal_chunk(binary::ChunkKind::Certificate, plain, binary::Packing::None) +
           bytes.substr(offsets[1]);
  };
  using std::string_view_literals::operator""sv;
  EXPECT_THAT(binary_error(with_certificate(binary::Column::Orders, "\0\1\1\x20"sv)),
              testing::HasSubstr("a transaction is not there"));
  EXPECT_THAT(binary_error(with_certificate(binary::Column::VersionSets, "\x70\1\0"sv)),
              testing::HasSubstr("a version set of no operation"));
  EXPECT_THAT(binary_error(with_certificate(binary::Column::VersionSets, "\0\1\0\0\1\0"sv)),
              testing::HasSubstr("a version set is out of order"));
  EXPECT_THAT(binary_error(with_certificate(binary::Column::VersionSets, "\0\7\0"sv)),
              testing::HasSubstr("a version set is of an unknown form"));
}

// As in JSON lines; docs/formats/jsonl.md has the rules.
TEST(NativeBinary, RefusesACertificateThatContradictsItself) {
  const auto error_of = [](auto&& certify) {
    HistoryBuilder builder;
    const KeyId x = builder.key(Value::integer(1));
    std::vector<TransactionId> writers;
    for (std::int64_t i = 0; i < 2; ++i) {
      writers.push_back(builder.begin_transaction(builder.session(Value::integer(i)), Value::integer(i)));
      builder.add(writers.back(), OperationKind::Write, x, Value::integer(i));
    }
    certify(builder, x, writers);
    return binary_error(binary_of(std::move(builder).freeze(), {}));
  };
  using Writers = std::vector<TransactionId>;
  EXPECT_THAT(error_of([](HistoryBuilder& builder, KeyId x, const Writers& writers) {
                builder.add_order({x, {writers[0], writers[1], writers[0]}, true});
              }),
              testing::HasSubstr("names transaction 0 twice"));
  EXPECT_THAT(error_of([](HistoryBuilder& builder, KeyId, const Writers& writers) {
                builder.add_order({builder.key(Value::integer(2)), {writers[0]}, true});
              }),
              testing::HasSubstr("names transaction 0, which has not written it"));
  EXPECT_THAT(error_of([](HistoryBuilder& builder, KeyId x, const Writers&) {
                builder.add_version_set(OperationId{0}, {std::vector<SeenVersion>{{x}, {x}}});
              }),
              testing::HasSubstr("a version set names a key twice"));
  EXPECT_THAT(error_of([](HistoryBuilder& builder, KeyId, const Writers&) {
                builder.add_version_set(OperationId{0}, {TransactionSnapshot{11, 2, {}}});
              }),
              testing::HasSubstr("a snapshot contradicts itself"));
}

// Lists share their parts, so a few bytes can represent any depth and any size.
TEST(NativeBinary, RefusesListsThatAreTooLargeToSpellOut) {
  const auto error_of = [](std::uint64_t levels, std::uint64_t copies) {
    std::string lists, plain;
    for (std::uint64_t i = 0; i < levels; ++i) {
      append_varint(lists, i == 0 ? 0 : copies);
      for (std::uint64_t copy = 0; copy < copies && i > 0; ++copy)
        append_varint(lists, Value::pooled(Value::Kind::List, i - 1).bits());
    }
    append_varint(plain, static_cast<std::uint64_t>(binary::Column::Lists));
    append_text(plain, lists);
    const std::string bytes = binary_of(parse_history("s1: [w(x,1)]"), {});
    const std::vector<std::size_t> offsets = chunk_offsets(bytes);
    return binary_error(bytes.substr(0, offsets[1]) +
                        binary::seal_chunk(binary::ChunkKind::Certificate, plain, binary::Packing::None));
  };
  EXPECT_EQ(error_of(1000, 1), "no error");
  EXPECT_THAT(error_of(1001, 1), testing::HasSubstr("a list is nested too deep"));
  EXPECT_THAT(error_of(100, 2), testing::HasSubstr("a list is too large when it is spelled out"));
}

TEST(NativeBinary, ReadsTheSameThroughTheTableOfFormats) {
  const History history = arbitrary_history(3, {.transactions = 100});
  ByteStream stream = ByteStream::from_memory("-", write_to_string(history, Format::Binary));
  EXPECT_EQ(difference(history, read_history(stream)), "");
}

TEST(NativeBinary, EmptyHistoryKeepsItsFacts) {
  HistoryBuilder builder;
  builder.set_fact("workload", "none");
  builder.set_initial_value(builder.values().text("x"));
  const History history = std::move(builder).freeze();
  EXPECT_EQ(difference(history, read_bytes(write_to_string(history, Format::Binary)).history), "");
  EXPECT_EQ(read_bytes(write_to_string(History(), Format::Binary)).history.transaction_count(), 0u);
}

TEST(NativeBinary, KeepsExtremeNumbersAndTimes) {
  HistoryBuilder builder;
  constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  const KeyId key = builder.key(builder.values().text(""));
  for (const std::int64_t number :
       {kMin, kMin + 1, Value::kMinInline, std::int64_t{0}, Value::kMaxInline, kMax}) {
    const TransactionId t =
        builder.begin_transaction(builder.session(Value::integer(1)), builder.values().integer(number));
    builder.set_interval(t, {number, number});
    builder.add(t, {.kind = OperationKind::Write,
                    .key = key,
                    .value = builder.values().integer(number),
                    .time = {kMax, number},
                    .version = number});
  }
  const History history = std::move(builder).freeze();
  EXPECT_EQ(difference(history, read_bytes(write_to_string(history, Format::Binary)).history), "");
}

TEST(NativeBinary, AppendsHistoriesWithTheirOwnPools) {
  const History one = parse_history("s1: [w(x,abc) r(y,[1 2])]  s2: [w(z,1.5)]");
  const History two = parse_history("s2: [r(z,1.5) r(x,abc)]  s1: [r(y,[1 2]) w(x,def)]");
  std::string bytes;
  BinaryWriter writer([&](std::string_view piece) { bytes += piece; });
  writer.add_header(one);
  writer.add(one, one.transactions());
  writer.flush();
  writer.add(two, two.transactions());
  writer.finish();
  EXPECT_EQ(print_history(read_bytes(bytes).history),
            "s1: [w(x,abc) r(y,[1 2])] [r(y,[1 2]) w(x,def)]\ns2: [w(z,1.5)] [r(z,1.5) r(x,abc)]\n");
}

TEST(NativeBinary, AFileTruncatedAtAnyByteIsReadUpToItsLastCompleteChunk) {
  const History whole = arbitrary_history(11, {.transactions = 12});
  const std::string bytes = binary_of(whole, {.transactions = 2});
  const std::vector<std::size_t> offsets = chunk_offsets(bytes);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    if (size < binary::kFileHeaderSize) {
      EXPECT_NE(binary_error(bytes.substr(0, size)), "no error") << size;
      continue;
    }
    const BinaryReading reading = read_bytes(bytes.substr(0, size));
    const auto whole_chunks = static_cast<std::size_t>(
        std::count_if(offsets.begin() + 1, offsets.end(), [&](std::size_t end) { return end <= size; }));
    EXPECT_EQ(reading.history.transaction_count(), std::min<std::size_t>(2 * whole_chunks, 12)) << size;
    EXPECT_TRUE(is_beginning(reading.history, whole)) << size;
    EXPECT_FALSE(reading.notices.empty()) << size;
  }
}

TEST(NativeBinary, ReadsWithoutAWriterAreLeftOutOfATruncatedFile) {
  const std::string bytes =
      binary_of(parse_history("s1: [r(x,1) r(y,2)] s2: [w(y,2)] s3: [w(x,1)]"), {.transactions = 2});
  const BinaryReading cut = read_bytes(bytes.substr(0, chunk_offsets(bytes)[1]));
  EXPECT_EQ(print_history(cut.history), "s1: [r(x,?) r(y,2)]\ns2: [w(y,2)]\ns3:\n");
  EXPECT_EQ(cut.notices.size(), 2u);
}

TEST(NativeBinary, AMissingEndIsATruncationNotDamage) {
  const History whole = arbitrary_history(11, {.transactions = 12});
  const std::string bytes = binary_of(whole, {.transactions = 2});
  const std::vector<std::size_t> offsets = chunk_offsets(bytes);
  const BinaryReading zeros = read_bytes(bytes.substr(0, offsets[3]) + std::string(5000, '\0'));
  EXPECT_EQ(zeros.history.transaction_count(), 6u);
  const std::size_t half = (offsets[3] + offsets[4]) / 2;
  const BinaryReading torn = read_bytes(bytes.substr(0, half) + std::string(offsets[4] - half, '\0'));
  EXPECT_EQ(torn.history.transaction_count(), 6u);
  EXPECT_FALSE(torn.notices.empty());
}

TEST(NativeBinary, DamageInTheMiddleIsReportedWithItsByteOffset) {
  const std::string bytes = binary_of(arbitrary_history(11, {.transactions = 12}), {.transactions = 2});
  const std::vector<std::size_t> offsets = chunk_offsets(bytes);
  for (std::size_t chunk = 0; chunk + 1 < offsets.size(); ++chunk) {
    for (std::size_t at = offsets[chunk]; at < offsets[chunk + 1]; ++at) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ 0x20);
      const std::string place = "test.srv: at byte " + std::to_string(offsets[chunk]) + ": ";
      EXPECT_EQ(binary_error(damaged).substr(0, place.size()), place) << at;
    }
  }
}

TEST(NativeBinary, TheIndexDetectsAMissingChunk) {
  const History history = parse_history("s1: [w(x,1)] [w(x,2)] [w(x,3)]");
  const std::string bytes = binary_of(history, {.transactions = 1});
  const std::vector<std::size_t> offsets = chunk_offsets(bytes);
  const std::string without = bytes.substr(0, offsets[1]) + bytes.substr(offsets[2]);
  EXPECT_NE(binary_error(without).find("the index does not match"), std::string::npos)
      << binary_error(without);
}

TEST(NativeBinary, RefusesBytesAfterTheTrailer) {
  const std::string bytes = write_to_string(parse_history("s1: [w(x,1)]"), Format::Binary);
  EXPECT_EQ(binary_error(bytes + bytes), "test.srv: at byte " + std::to_string(bytes.size()) +
                                             ": expected the end of the file after the trailer");
}

TEST(NativeBinary, RefusesOtherFilesAndLaterVersions) {
  std::string bytes = write_to_string(parse_history("s1: [w(x,1)]"), Format::Binary);
  EXPECT_TRUE(looks_like_binary(bytes));
  EXPECT_FALSE(looks_like_binary("s1: [w(x,1)]"));
  bytes[8] = 2;
  EXPECT_EQ(binary_error(bytes),
            "test.srv: at byte 8: expected version 1, but the file says 2: a newer Serval may read it");
  EXPECT_EQ(binary_error("s1: [w(x,1)] s2: []"),
            "test.srv: at byte 0: expected the first 16 bytes of a Serval binary history");
}

TEST(NativeBinary, SkipsChunksAndColumnsOfLaterVersions) {
  const std::string bytes = write_to_string(parse_history("s1: [w(x,1)]"), Format::Binary);
  std::string later = bytes.substr(0, binary::kFileHeaderSize);
  later += binary::seal_chunk(static_cast<binary::ChunkKind>(9), "whatever", binary::Packing::None);
  std::string columns("\x01\x02\x00\x00", 4);
  columns += "\x3f\x04what";
  columns += std::string("\x80\x01\x01!", 4);
  later += binary::seal_chunk(binary::ChunkKind::Transactions, columns, binary::Packing::None);
  const BinaryReading reading = read_bytes(later);
  EXPECT_EQ(reading.notices,
            (std::vector<std::string>{
                "the file has no index: it was never finished, and ends after its last whole chunk",
                "1 chunk(s) of an unknown kind skipped", "2 column(s) of an unknown kind skipped"}));
}

TEST(NativeBinary, HostileSizesAllocateNothing) {
  const std::string start = write_to_string(History(), Format::Binary).substr(0, binary::kFileHeaderSize);
  for (const std::uint64_t count : {std::uint64_t{1} << 20, std::uint64_t{1} << 40, ~std::uint64_t{0}}) {
    for (const int column : {1, 2, 4, 5, 8}) {
      std::string body;
      if (column == 4) body += '\x04';
      if (column == 8) body += std::string("\x05\x00\x01", 3);
      append_varint(body, count);
      std::string plain("\x01\x02\x00\x00", column == 1 ? 0 : 4);
      plain += static_cast<char>(column);
      append_text(plain, body);
      const std::string bytes =
          start + binary::seal_chunk(binary::ChunkKind::Transactions, plain, binary::Packing::None);
      EXPECT_NE(binary_error(bytes), "no error") << column;
    }
  }
}

// Damage with a correct checksum, as a hostile writer would produce it.
TEST(NativeBinary, FlippedPlainBytesGiveAHistoryOrAnInputError) {
  const std::string bytes = binary_of(arbitrary_history(12, {.transactions = 30}), {.transactions = 10});
  ByteStream stream = ByteStream::from_memory("test.srv", bytes);
  binary::ChunkSource source(stream);
  source.read_file_header();
  std::vector<std::string> plain;
  while (const auto chunk = source.next()) {
    if (chunk->kind != static_cast<std::uint8_t>(binary::ChunkKind::Transactions)) break;
    plain.emplace_back(chunk->plain);
  }
  ASSERT_EQ(plain.size(), 3u);
  Random random = fresh_random();
  std::size_t refused = 0;
  for (int round = 0; round < 800; ++round) {
    std::string damaged = bytes.substr(0, binary::kFileHeaderSize);
    const std::uint64_t victim = random.below(plain.size());
    for (std::size_t i = 0; i < plain.size(); ++i) {
      std::string chunk = plain[i];
      for (std::uint64_t flips = i == victim ? 1 + random.below(2) : 0; flips > 0; --flips)
        chunk[random.below(chunk.size())] = static_cast<char>(random.next());
      damaged += binary::seal_chunk(binary::ChunkKind::Transactions, chunk, binary::Packing::None);
    }
    if (binary_error(damaged) != "no error") ++refused;
  }
  EXPECT_GT(refused, 200u);
}

TEST(NativeBinary, StoresHighlyCompressibleChunksUncompressed) {
  HistoryBuilder builder;
  const TransactionId t = builder.begin_transaction(builder.session(Value::integer(1)), Value::integer(1));
  builder.add(t, OperationKind::Write, builder.key(Value::integer(1)),
              builder.values().text(std::string(binary::kFreeSize + 1, 'a')));
  const History history = std::move(builder).freeze();
  const std::string bytes = write_to_string(history, Format::Binary);
  EXPECT_GT(bytes.size(), binary::kFreeSize);
  EXPECT_EQ(difference(history, read_bytes(bytes).history), "");
}

TEST(NativeBinary, IsDetectedByContent) {
  for (const std::uint64_t seed : fresh_seeds(50)) {
    const std::string text = write_to_string(arbitrary_history(seed), Format::Binary);
    const FormatInfo* detected = detect_format(text);
    ASSERT_NE(detected, nullptr);
    EXPECT_EQ(detected->format, Format::Binary) << text.substr(0, 200);
  }
}

// The example of docs/formats/binary.md. These bytes define version 1.
TEST(NativeBinary, PlainBytesOfVersionOneNeverChange) {
  const std::string bytes = write_to_string(parse_history("s1: [w(x,1)]"), Format::Binary);
  ByteStream stream = ByteStream::from_memory("test.srv", bytes);
  binary::ChunkSource source(stream);
  source.read_file_header();
  const auto chunk = source.next();
  ASSERT_TRUE(chunk);
  std::string hex;
  for (const char c : chunk->plain) hex += fmt::format("{:02X}", static_cast<unsigned char>(c));
  EXPECT_EQ(hex,
            "01020101"
            "030100"
            "04070402733104"
            "0178"
            "06010C"
            "070104"
            "100100"
            "110120"
            "120101"
            "200101"
            "210101"
            "220110");
  EXPECT_EQ(bytes.size(), 240u);
}

}  // namespace
}  // namespace serval
