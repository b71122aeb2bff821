#include "serval/online/probed_profile.h"

#include <algorithm>
#include <initializer_list>

namespace serval::online {
namespace {

// The steps of the schedules that matter here, counted from 0, after a begin for each client
// (probe_anomaly.cpp): "w1(x) w2(x) ..." and "r1(x) r2(x) r2(y) w2(x) ...".
constexpr std::size_t kSecondWriteOfG0 = 3, kWriteAfterReadsOfGSingle = 5;

std::string folded_to_name(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const bool upper = c >= 'A' && c <= 'Z';
    const bool kept = upper || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '+';
    out += upper ? static_cast<char>(c - 'A' + 'a') : kept ? c : '-';
  }
  constexpr std::size_t kLongest = 64;
  return out.empty() ? "unknown" : out.substr(0, kLongest);
}

class ProfileDerivation {
 public:
  explicit ProfileDerivation(const ProbeFindings& findings) : findings_(findings) {}

  ProbedProfile derive() && {
    for (const char* key : {"protocol", "locking-read", "writing-read", "one-state-a-statement", "one-clock",
                            "keeps-sessions", "equal-writes-vanish", "certifier"})
      out_.remarks[key] = "Not probed.";
    out_.profile.basis = Basis::Probe;
    out_.remarks[""] =
        "Derived by serval probe: it promises only what the schedules of the probe showed. That a schedule\n"
        "ended without an anomaly does not prove that the anomaly is impossible.";
    derive_reads();
    derive_locks();
    derive_updates();
    derive_cycles();
    return std::move(out_);
  }

 private:
  const ProbedAnomaly& at(std::string_view name) const {
    static const ProbedAnomaly kNotProbed;
    const auto found = findings_.anomalies.find(name);
    return found == findings_.anomalies.end() ? kNotProbed : found->second;
  }
  bool prevented(std::initializer_list<std::string_view> names) const {
    return std::ranges::all_of(names, [&](std::string_view name) { return at(name).prevented; });
  }
  // What needs ranges is not probed on databases without.
  bool not_seen(std::initializer_list<std::string_view> names) const {
    return std::ranges::none_of(names, [&](std::string_view name) { return at(name).happens; });
  }
  void remark(std::string_view key, std::string text) { out_.remarks[std::string(key)] = std::move(text); }

  void derive_reads() {
    Profile& profile = out_.profile;
    if (!prevented({"G0", "G1a", "G1b", "G1c"})) {
      for (const char* key : {"plain-read", "install", "snapshot", "freshness"})
        remark(key, "Uncommitted writes were read, or this was not probed (G0, G1a, G1b, G1c).");
      return;
    }
    profile.plain_read = ReadMode::Consistent;
    remark("plain-read", "No uncommitted, rolled back or intermediate write was read (G1a, G1b, G1c).");
    profile.install = InstallPoint::Commit;
    remark("install", "No write was seen before its commit (G1a, G1b, G1c).");
    derive_snapshot();
    if (findings_.current && prevented({"OTV"})) profile.freshness = Freshness::Current;
    remark("freshness", profile.freshness == Freshness::Current
                            ? "Transactions that began after a commit saw it."
                            : "A read missed an earlier commit (OTV), or several nodes were probed.");
  }

  void derive_snapshot() {
    const ProbedAnomaly& skew = at("G-single");
    if (skew.prevented && !skew.waited && !skew.refused) {
      out_.profile.snapshot = SnapshotPoint::FirstConsistentRead;
      remark("snapshot",
             "A second read saw the state of the first one, although another transaction had "
             "committed (G-single).");
    } else if (skew.happens && prevented({"OTV"})) {
      out_.profile.snapshot = SnapshotPoint::Statement;
      remark("snapshot", "A second read saw a newer state (G-single).");
    } else {
      remark("snapshot", "A client waited or was refused (G-single), so this cannot be seen.");
    }
  }

  void derive_locks() {
    const ProbedAnomaly &writes = at("G0"), &reads = at("G-single");
    if (writes.prevented && writes.waited_at && *writes.waited_at <= kSecondWriteOfG0)
      out_.profile.write_lock = LockMode::Exclusive;
    remark("write-lock", out_.profile.write_lock == LockMode::Exclusive
                             ? "The second writer of a row waited until the first one ended (G0)."
                             : "The second writer of a row did not wait (G0).");
    const bool locks = out_.profile.write_lock == LockMode::Exclusive && reads.prevented && reads.waited_at &&
                       *reads.waited_at <= kWriteAfterReadsOfGSingle;
    if (locks) out_.profile.plain_lock = LockMode::Shared;
    remark("plain-lock", locks ? "A writer waited until the reader of the row ended (G-single)."
                               : "No writer waited for a reader (G-single).");
  }

  void derive_updates() {
    Profile& profile = out_.profile;
    const auto refuses = [&](std::string_view name) { return at(name).prevented && at(name).conflict; };
    profile.first_updater_wins = profile.snapshot == SnapshotPoint::FirstConsistentRead && refuses("G0") &&
                                 refuses("P4") && refuses("late-writer");
    remark("first-updater-wins",
           profile.first_updater_wins
               ? "Whoever wrote a row that another one had written since its snapshot was refused, also\n"
                 "without reading the row (G0, P4, late writer)."
               : "A writer was not refused although another one had written the row since its snapshot,\n"
                 "or waiting hid it (G0, P4, late writer).");
    profile.one_update_a_version = at("P4").prevented && !profile.first_updater_wins;
    remark("one-update-a-version",
           profile.one_update_a_version
               ? "Of two that read a version and wrote the row one failed or waited (P4)."
           : profile.first_updater_wins ? "Follows from first-updater-wins."
                                        : "Two that read a version and wrote the row committed (P4).");
  }

  void derive_cycles() {
    Profile& profile = out_.profile;
    profile.level = Level::ReadUncommitted;
    remark("cycles", "Cycles with anti-dependencies happened, or were not probed (G-single, OTV).");
    if (profile.plain_read == ReadMode::Consistent) profile.level = Level::ReadCommitted;
    if (profile.plain_read == ReadMode::Consistent && prevented({"OTV", "G-single"}) && not_seen({"PMP"}))
      derive_stronger_cycles();
    remark("level", "What the matrix shows; reports name it.");
  }

  void derive_stronger_cycles() {
    Profile& profile = out_.profile;
    if (prevented({"P4", "G2-item"}) && not_seen({"G2"})) {
      profile.cycles = CycleRule::Serial;
      profile.level = Level::Serializable;
      remark("cycles", "No anomaly of the matrix happened.");
      if (profile.one_update_a_version) {
        profile.one_update_a_version = false;
        remark("one-update-a-version", "Follows from cycles.");
      }
    } else if (profile.first_updater_wins) {
      profile.cycles = CycleRule::Snapshot;
      profile.level = Level::SnapshotIsolation;
      remark("cycles", "Write skew happened, read skew and lost updates did not (G2-item, G-single, P4).");
    } else {
      remark("cycles",
             "Updates may see a newer state than reads (G0, P4), so cycles with anti-dependencies prove "
             "nothing.");
    }
  }

  const ProbeFindings& findings_;
  ProbedProfile out_{silent_profile_of(folded_to_name(findings_.database),
                                       folded_to_name(findings_.isolation), Level::ReadUncommitted),
                     {}};
};

}  // namespace

ProbedProfile profile_of(const ProbeFindings& findings) { return ProfileDerivation(findings).derive(); }

}  // namespace serval::online
