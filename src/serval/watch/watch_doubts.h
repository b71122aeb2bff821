#pragma once
// What a watch does not know: the actions of clients that left without their last record, sent garbage,
// are silent or sent records too late. Others may have read what they wrote, so a contradiction may have
// an explanation that is missing. These rules say which contradictions are nevertheless certain:
//
//   D1  Contradictions about locks, about snapshots known by times alone, and about a transaction's reads
//       of its own writes do not depend on what others wrote.
//   D2  Everything that a client has not reported began at its last promise or later. Earlier reads are
//       certain.
//   D3  A client that is gone writes nothing any more. If everything that was read was written after that
//       and replaced what was there, it is certain, unless reads may be of any age.
//   D4  Records that came too late to be judged are known afterwards. What began later is certain.
//
//   doubts.add({.who = "connection 3", .what = "ended without ...", .since = 5000, .until = 9000});
//   doubts.about(violation, {labels})      // "connection 3 ended without ...", or empty if certain.
//
// Thread-safe.

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "serval/online/violation.h"
#include "serval/watch/watch_labels.h"

namespace serval::watch {

struct Doubt {
  std::string who, what;
  Time since = kUnknownBegin;  // The missing actions began at this time or later,
  Time until = kUnknownEnd;    // and installed nothing after this time, if it is known.
  Time known_from = kUnknownEnd;
  std::string format() const { return who + " " + what; }
};

struct DoubtContext {
  const WatchLabels& labels;
  bool reads_of_any_age = false;  // By the profile.
};

// Whether the missing actions of `doubt` may explain `violation`.
bool may_explain(const Doubt& doubt, const online::Violation& violation, const DoubtContext& context);

class WatchDoubts {
 public:
  // The longest time that the last commit of a gone client may take to be installed.
  explicit WatchDoubts(Time grace) : grace_(grace) {}

  void add(Doubt doubt);
  std::string about(const online::Violation& violation, const DoubtContext& context) const;
  std::uint64_t count() const;
  std::vector<std::string> format() const;  // Some of them.

 private:
  const Time grace_;
  mutable std::mutex mutex_;
  std::vector<Doubt> first_;  // The first few; all others are merged into one.
  Doubt others_;
  std::uint64_t count_ = 0;
};

}  // namespace serval::watch
