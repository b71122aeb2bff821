#pragma once
// Serval's own binary format: chunks of columns, compressed and checksummed, then an index. Loads several
// times faster than text and survives a crash: a truncated file can be read up to its last whole chunk.
// native_binary_layout.h defines the bytes; docs/formats/binary.md describes the format.
//
//   BinaryWriter writer([&](std::string_view bytes) { file.write(bytes); });
//   writer.add_header(history);                           // initial value, facts, sessions
//   writer.add(history, history.transactions());          // chunks go out as they fill
//   writer.finish();                                      // the index
//
// One writer may get several histories, each with its own pool; names are matched by their text.

#include <memory>
#include <string_view>

#include "serval/formats/format.h"

namespace serval {

bool looks_like_binary(std::string_view start);
// Throws InputError with the byte offset for damage other than truncation.
History read_binary(ByteStream& stream, const ReadOptions& options);
void write_binary(const History& history, const ByteOutput& out, const Notice& lossy);

// Holds one chunk and the names used so far. Not thread-safe.
class BinaryWriter {
 public:
  using Sink = ByteOutput;
  struct Limits {  // A chunk is closed when it reaches either.
    std::uint32_t transactions = 1 << 14;
    std::size_t bytes = std::size_t{4} << 20;  // Before compression.
  };

  explicit BinaryWriter(Sink out) : BinaryWriter(std::move(out), Limits{}) {}
  BinaryWriter(Sink out, Limits limits);
  BinaryWriter(BinaryWriter&&) noexcept;
  BinaryWriter& operator=(BinaryWriter&&) noexcept;
  ~BinaryWriter();  // Writes nothing: call finish().

  // The history's initial value, facts and session labels. May be called again; later facts win.
  void add_header(const History& history);
  // Adds transactions in this order. Transactions of a session follow those of earlier calls.
  void add(const History& history, IdRange<TransactionId> transactions);
  // Adds the certificate of a history. All its transactions, and no others, must have been added. Call it
  // last.
  void add_certificate(const History& history);
  // Closes the chunk. Everything added so far is safe once the sink has written it to disk.
  void flush();
  // Closes the chunk and writes the index. Nothing may be added afterwards.
  void finish();

 private:
  struct State;
  class Adder;
  class CertificateAdder;
  std::unique_ptr<State> state_;
};

}  // namespace serval
