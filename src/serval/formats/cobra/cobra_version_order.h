#pragma once
// King Cobra's version orders: a file *.vo beside Cobra's logs, every number big endian of eight bytes.
//
//   keys   { key  versions  { value }* }*          values of a key, the oldest first; some may be missing
//
// A version is named by its value, so only a value that was written to its key once names one.
//
//   VersionOrder order = VersionOrder::read(stream, options);
//   order.note_write(key, value, op);              // every write of the logs
//   order.number_writes(builder, tell);            // versions 1, 2, ... of each key

#include <cstdint>
#include <functional>
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
  // Throws InputError, at its byte, for a file that ends early or goes on too long, for a negative count, and
  // for a key or a value of a key that comes twice.
  static VersionOrder read(ByteStream& stream, const ReadOptions& options);

  void note_write(std::int64_t key, std::int64_t value, OperationId op);
  // Gives the writes that the file lists their places as versions. Tells of what it lists in vain.
  void number_writes(HistoryBuilder& builder, const std::function<void(const std::string&)>& tell) const;

 private:
  struct Listed {
    std::int64_t place;
    OperationId write = OperationId::none();
    bool ambiguous = false;  // Written more than once.
  };
  absl::flat_hash_map<std::pair<std::int64_t, std::int64_t>, Listed> listed_;  // By key and value.
};

// The one file *.vo in the folder of the logs, or in the folder around it where it is called "history", as
// King Cobra keeps them. Throws InputError for several in one place.
std::optional<std::string> find_version_order(const std::string& logs);

// The bytes of a file for these keys.
struct KeyVersions {
  std::int64_t key;
  std::vector<std::int64_t> values;  // Oldest first.
};
std::string format_version_order(const std::vector<KeyVersions>& keys);

}  // namespace serval::cobra
