#pragma once
// The native binary format, byte by byte. Everything is little-endian; offsets and lengths are 64 bits.
// docs/formats/binary.md describes it for authors of other readers.
//
//   file     = file header, chunk..., [footer chunk, trailer]
//
//   file header, 16 bytes              chunk header, 40 bytes               trailer, 16 bytes
//    0  magic     89 "SRV" CR LF 1A LF   0  magic     "SVCK"                  0  offset of the footer chunk
//    8  version   u32, 1                 4  kind      u8, ChunkKind           8  magic  "SRV" 89 LF 1A LF CR
//   12  flags     u32, 0                 5  packing   u8, Packing
//                                        6  zero      u16
//                                        8  stored    u64, bytes that follow
//                                       16  plain     u64, bytes after unpacking
//                                       24  checksum  XXH3-64 of the stored bytes
//                                       32  checksum  XXH3-64 of bytes 0..31
//
// A chunk of transactions unpacks to columns: { varint id, varint length, bytes }, each id at most once.
// "varint" is LEB128; "zigzag" is a signed number as (n << 1) ^ (n >> 63), as varint. "value" is a varint
//
//   zigzag(n) << 3 | 0       integer            index << 3 | 3 number | 4 text | 6 row    into the spellings
//   1 nil, 2 unknown, truth << 3 | 5 boolean    index << 3 | 7 list                       into the lists
//
// where indexes count over the whole file: a chunk carries the names that it is the first to use, so it
// needs only the chunks before it. A certificate also unpacks to columns; its operation and transaction
// numbers count over the whole file. A footer unpacks to IndexEntry records and one IndexTotals.

#include <cstdint>
#include <string_view>

#include "serval/base/byte_order.h"

namespace serval::binary {

inline constexpr std::string_view kFileMagic{"\x89SRV\r\n\x1a\n", 8};
inline constexpr std::string_view kTrailerMagic{"SRV\x89\n\x1a\n\r", 8};
inline constexpr std::string_view kChunkMagic = "SVCK";
inline constexpr std::uint32_t kVersion = 1;

inline constexpr std::size_t kFileHeaderSize = 16;
inline constexpr std::size_t kChunkHeaderSize = 40;
inline constexpr std::size_t kTrailerSize = 16;

enum class ChunkKind : std::uint8_t { Transactions = 1, Footer = 2, Certificate = 3 };
enum class Packing : std::uint8_t { None = 0, Zstd = 1 };

// Limits of what a reader allocates. Stored bytes are at most kMaxChunk; plain bytes are at most that
// and, above kFreeSize, at most kMaxRatio times the stored ones. A writer stores data that would compress
// better with None.
inline constexpr std::uint64_t kMaxChunk = std::uint64_t{1} << 30;
inline constexpr std::uint64_t kFreeSize = std::uint64_t{16} << 20;
inline constexpr std::uint64_t kMaxRatio = 64;

enum class Column : std::uint8_t {
  Counts = 1,      // varint transactions, varint operations; always present
  Facts = 2,       // { varint length, name, varint length, text }
  Initial = 3,     // value
  Spellings = 4,   // { varint Value::Kind, varint length, characters }: new numbers, texts, rows
  Lists = 5,       // { varint count, value... }: new lists, after the lists they contain
  Keys = 6,        // { value }: new keys
  Sessions = 7,    // { value }: labels of new sessions
  Predicates = 8,  // { tree }: byte Predicate::Node, varint length, name, value, varint children, tree...
  Session = 16,    // varint per transaction, into the sessions
  Label = 17,      // zigzag of (value - value before), modulo 2^64
  Size = 18,       // varint per transaction: number of its operations
  Outcome = 19,    // byte per transaction; absent if all committed
  Begin = 20,      // zigzag of (begin - begin before), modulo 2^64; absent when none has times
  End = 21,        // zigzag of (end - begin), modulo 2^64; absent with Begin
  Hints = 22,      // { varint transaction in the chunk, byte HintFlag, members in order of their flags }
  Kind = 32,       // byte per operation
  Key = 33,        // varint per operation: 0 none, else key + 1
  Value = 34,      // value per operation
  Expected = 35,   // value per conditional operation
  OperationBegin = 36,  // zigzag of (begin - begin before), modulo 2^64; absent when none has times
  OperationEnd = 37,    // zigzag of (end - begin), modulo 2^64; absent with OperationBegin
  Rare = 38,            // { varint operation in the chunk, byte RareFlag, members in order of their flags }
  // Of a certificate chunk, which also has Spellings, Lists and Keys, and follows what it cites.
  OrderedByCommit = 48,  // byte 1
  Orders = 49,       // { varint key, byte complete, varint count, zigzag of (transaction - one before)... }
  VersionSets = 50,  // { varint operation - one before, byte VersionSetForm, members }
};
inline constexpr std::size_t kColumnIds = 64;  // Ids from here on are unknown to this version.

enum HintFlag : std::uint8_t {
  kHintStart = 1,   // zigzag
  kHintCommit = 2,  // zigzag
  kHintServer = 4,  // varint length, characters; so are the next three
  kHintSnapshot = 8,
  kHintNode = 16,
  kHintError = 32,
};
enum RareFlag : std::uint8_t {
  kRarePredicate = 1,  // varint, into the predicates
  kRareRows = 2,       // varint count, { varint key, value }
  kRareVersion = 4,    // zigzag; so are the next two
  kRareMatched = 8,
  kRareChanged = 16,
};
enum class VersionSetForm : std::uint8_t {
  Listed = 0,     // varint count, { varint key, varint 0 initial or transaction + 1 }
  Timestamp = 1,  // zigzag
  Snapshot = 2,   // varint xmin, varint xmax, varint count, { varint xip }
};

// One per chunk of transactions, eight-byte members in this order.
struct IndexEntry {
  std::uint64_t offset = 0;  // Of the chunk header.
  std::uint64_t size = 0;    // Header and stored bytes.
  std::uint64_t first_transaction = 0, transactions = 0;
  std::uint64_t first_operation = 0, operations = 0;
  std::int64_t first_begin = 0, last_end = 0;  // The earliest and the latest known; kUnknown... if none is.
};
struct IndexTotals {
  std::uint64_t chunks = 0, transactions = 0, operations = 0;
};
}  // namespace serval::binary
