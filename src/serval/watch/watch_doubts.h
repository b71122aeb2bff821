#pragma once
// What a watch was not told: clients that went away without a goodbye, sent garbage, are silent or came too
// late. What they wrote meanwhile, others may have read, so that some contradictions are perhaps none. Which
// ones?
//
//   D1  Locks, and snapshots that are known by times alone, do not depend on what others wrote: such a
//       contradiction is certain, whatever is missing. Nor does what a transaction reads of its own.
//   D2  Whatever a client has not told of began at its last promise or later. What was read before is
//       certain.
//   D3  A client that is gone writes nothing any more. If all that was read was written after that, and had
//       replaced what was there, it is certain; unless reads may be of any age.
//   D4  What came too late to be judged is known afterwards. What began later is certain.
//
//   doubts.add({.who = "connection 3", .what = "ended without ...", .since = 5000, .until = 9000});
//   doubts.about(violation, {labels})      // "connection 3 ended without ...", or empty: it is certain.
//
// Any thread.

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "serval/online/violation.h"
#include "serval/watch/watch_labels.h"

namespace serval::watch {

struct Doubt {
  std::string who, what;
  Time since = kUnknownBegin;  // What is missing began then or later,
  Time until = kUnknownEnd;    // and wrote nothing that was installed later than that, if it is known.
  Time known_from = kUnknownEnd;
  std::string format() const { return who + " " + what; }
};

struct DoubtContext {
  const WatchLabels& labels;
  bool reads_of_any_age = false;  // As the profile says.
};

// Whether what is missing by `doubt` may be what `violation` is about.
bool may_explain(const Doubt& doubt, const online::Violation& violation, const DoubtContext& context);

class WatchDoubts {
 public:
  // A gone client's last commit may take so long to be installed.
  explicit WatchDoubts(Time grace) : grace_(grace) {}

  void add(Doubt doubt);
  std::string about(const online::Violation& violation, const DoubtContext& context) const;
  std::uint64_t count() const;
  std::vector<std::string> format() const;  // Some of them.

 private:
  const Time grace_;
  mutable std::mutex mutex_;
  std::vector<Doubt> first_;  // A few by themselves, all others as one.
  Doubt others_;
  std::uint64_t count_ = 0;
};

}  // namespace serval::watch
