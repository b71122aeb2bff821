#pragma once
// Turns records into accesses: which rows an operation read, wrote and locked, and how, according to the
// profile of its transaction; and which operation fixed the snapshot of the transaction.
//
//   intake.note(record, transaction);      // Every record of the transaction except its end.
//   intake.close(record, transaction);     // Its end.

#include "serval/online/key_catalog.h"
#include "serval/online/live_transaction.h"

namespace serval::online {

class RecordIntake {
 public:
  RecordIntake(const Profile& profile, KeyCatalog& keys) : profile_(profile), keys_(keys) {}

  void note_initial(const Record& record);
  void begin(const Record& record, LiveTransaction& transaction) const;
  void note(const Record& record, LiveTransaction& transaction);
  void close(const Record& record, LiveTransaction& transaction) const;
  // Facts about keys from the last records. Pass them to the partitions before the accesses.
  std::vector<KeyFact>& facts() { return facts_; }

 private:
  struct Way {
    Access::Kind kind;
    ReadMode mode;
    LockMode lock;
    bool maybe = false;
  };
  std::uint32_t number_of(const RecordRow& row, Time now);
  void note_fact(std::uint32_t key, const StoredValue& initial, bool or_nil, bool is_new);
  void take_snapshot(const Record& record, LiveTransaction& transaction) const;
  void add(const RecordRow& row, bool first_of_key, const Way& way, const Record& record,
           LiveTransaction& transaction);
  void add_all(std::span<const RecordRow> rows, const Way& way, const Record& record,
               LiveTransaction& transaction);
  Way reading(const Record& record, const Profile& profile, ReadMode mode) const;
  Way writing(const Record& record, const Profile& profile) const;
  void note_region(const Record& record, LiveTransaction& transaction) const;
  void note_replaced(const Record& record, LiveTransaction& transaction);

  const Profile& profile_;
  KeyCatalog& keys_;
  std::vector<KeyFact> facts_;
  StoredValue initial_;          // For keys that no Initial record names,
  bool initial_or_nil_ = false;  // or nothing.
};

}  // namespace serval::online
