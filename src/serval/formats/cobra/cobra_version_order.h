#pragma once
// King Cobra's version orders: a *.vo file beside Cobra's logs, with big-endian numbers of eight bytes.
//
//   keys   { key  versions  { value }* }*          values of a key, oldest first; some may be missing
//
// A version is identified by its value, so only values written once to their key identify one.
//
//   VersionOrder order = VersionOrder::read(stream, options);
//   order.note_write(key, value, op);              // every write of the logs
//   order.number_writes(builder, tell);            // versions 1, 2, ... of each key

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "serval/formats/format.h"
#include "serval/history/history_builder.h"

namespace serval::cobra {

class VersionOrder {
 public:
  // Throws InputError with the byte offset for a file that is too short or too long, for a negative
  // count, and for a duplicate key or a duplicate value of a key.
  static VersionOrder read(ByteStream& stream, const ReadOptions& options);

  void note_write(std::int64_t key, std::int64_t value, OperationId op);
  // Sets the versions of the listed writes to their positions. Reports entries that match no write.
  void number_writes(HistoryBuilder& builder, const Notice& tell) const;

 private:
  struct Listed {
    std::int64_t place;
    OperationId write = OperationId::none();
    bool ambiguous = false;  // Written more than once.
  };
  absl::flat_hash_map<std::pair<std::int64_t, std::int64_t>, Listed> listed_;  // By key and value.
};

// The *.vo file in the folder of the logs, or in its parent if the folder is named "history", as in King
// Cobra. Throws InputError if there are several.
std::optional<std::string> find_version_order(const std::string& logs);

// The bytes of a file for these keys.
struct KeyVersions {
  std::int64_t key;
  std::vector<std::int64_t> values;  // Oldest first.
};
std::string format_version_order(const std::vector<KeyVersions>& keys);

}  // namespace serval::cobra
