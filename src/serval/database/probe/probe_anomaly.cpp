#include "serval/database/probe/probe_anomaly.h"

#include <algorithm>
#include <array>

#include "serval/base/contract.h"

namespace serval {
namespace {

using What = ProbeStep::What;

constexpr std::int64_t kInserted = 30, kScanHigh = 39, kInitial = 10;
constexpr std::size_t kNobody = 99;  // Instead of a client: the writer of the initial rows.

std::size_t writer(const ProbePlay& play, std::int64_t tag) {
  return tag == 0 ? kNobody : play.steps[static_cast<std::size_t>(tag) - 1].client;
}

bool all_committed(const ProbePlay& play) {
  return std::ranges::all_of(play.committed, [](bool committed) { return committed; });
}

// The writers of the versions that a client saw, in order; for a scan, of every row.
std::vector<std::size_t> seen_by(const ProbePlay& play, std::size_t client) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < play.steps.size(); ++i)
    if (play.steps[i].client == client && play.answers[i])
      for (const Answer::Row& row : play.answers[i]->rows) out.push_back(writer(play, row.tag));
  return out;
}

bool saw(const ProbePlay& play, std::size_t client, std::size_t other) {
  return std::ranges::count(seen_by(play, client), other) > 0;
}

bool rows_of_two_writers(const ProbePlay& play) {
  return all_committed(play) && play.finally.size() == 2 &&
         writer(play, play.finally[0].tag) != writer(play, play.finally[1].tag);
}

bool read_of_an_aborted_write(const ProbePlay& play) { return play.committed[1] && saw(play, 1, 0); }

bool read_of_a_write_before_the_last(const ProbePlay& play) {
  const auto is_first_write = [&](std::size_t i) {
    return play.steps[i].client == 0 && play.steps[i].request.kind == Request::Kind::Write;
  };
  std::size_t first = 0;
  while (!is_first_write(first)) ++first;
  for (std::size_t i = 0; i < play.steps.size(); ++i)
    if (play.steps[i].client == 1 && play.answers[i])
      for (const Answer::Row& row : play.answers[i]->rows)
        if (row.tag == static_cast<std::int64_t>(first) + 1) return all_committed(play);
  return false;
}

bool both_saw_the_other(const ProbePlay& play) {
  return all_committed(play) && saw(play, 0, 1) && saw(play, 1, 0);
}

bool neither_saw_the_other(const ProbePlay& play) {
  return all_committed(play) && !saw(play, 0, 1) && !saw(play, 1, 0);
}

// Versions are installed initially, then by client 1, then by client 2; client 3 saw an older one later.
bool an_observed_writer_vanished(const ProbePlay& play) {
  std::vector<std::size_t> ranks;
  for (const std::size_t client : seen_by(play, 2)) ranks.push_back(client == kNobody ? 0 : client + 1);
  return play.committed[2] && !std::ranges::is_sorted(ranks);
}

// If a search always found the other's row, it simply came after it.
bool a_search_found_more(const ProbePlay& play) {
  bool missed = false, found_later = false;
  for (std::size_t i = 0; i < play.steps.size(); ++i) {
    if (play.steps[i].client != 0 || play.steps[i].what != What::Perform || !play.answers[i]) continue;
    missed |= play.answers[i]->rows.empty();
    found_later |= missed && !play.answers[i]->rows.empty();
  }
  return all_committed(play) && found_later;
}

bool first_saw_before_and_after(const ProbePlay& play) {
  return all_committed(play) && saw(play, 0, 1) && saw(play, 0, kNobody);
}

ProbeStep step_of(std::string_view word, std::size_t number) {
  expects(word.size() == 2 || word.size() == 5, "a step is r1(x) or c1");
  ProbeStep step{.client = static_cast<std::size_t>(word[1] - '1'), .what = What::Perform};
  Request& request = step.request;
  request.tag = static_cast<std::int64_t>(number);
  if (word.size() == 5) request.key = std::string_view(" xypq").find(word[3]);
  switch (word[0]) {
    case 'r':
      break;
    case 'w':
      request.kind = Request::Kind::Write;
      break;
    case 'i':
      request.kind = Request::Kind::Insert;
      request.columns = {kInserted};
      break;
    case 's':
      request.kind = Request::Kind::Scan;
      request.column = 0;
      request.low = kInserted;
      request.high = kScanHigh;
      break;
    case 'c':
      step.what = What::Commit;
      break;
    default:
      expects(word[0] == 'a', "a step begins with one of r w i s c a");
      step.what = What::RollBack;
  }
  return step;
}

std::vector<ProbeStep> steps_of(std::string_view schedule) {
  std::vector<ProbeStep> steps;
  std::size_t clients = 0;
  for (const char c : schedule)
    if (c >= '1' && c <= '9') clients = std::max(clients, static_cast<std::size_t>(c - '0'));
  for (std::size_t client = 0; client < clients; ++client) steps.push_back({.client = client});
  while (!schedule.empty()) {
    const std::string_view word = schedule.substr(0, schedule.find(' '));
    schedule.remove_prefix(std::min(word.size() + 1, schedule.size()));
    steps.push_back(step_of(word, steps.size() + 1));
  }
  return steps;
}

}  // namespace

bool finally_shows_commits(const ProbePlay& play) {
  return std::ranges::all_of(play.finally, [&](const Answer::Row& row) {
    const std::size_t shown = writer(play, row.tag);
    bool written = false;
    for (std::size_t i = 0; i < play.steps.size(); ++i) {
      const ProbeStep& step = play.steps[i];
      const bool writes = step.what == What::Perform && step.request.kind == Request::Kind::Write;
      if (!writes || step.request.key != row.key || !play.answers[i] || !play.committed[step.client])
        continue;
      written = true;
      if (step.client == shown) return true;
    }
    return !written && shown == kNobody;
  });
}

std::span<const ProbeAnomaly> all_probe_anomalies() {
  static constexpr std::array<ProbeAnomaly, 10> kTable = {{
      {"G0", "dirty write: two transactions overwrite each other's rows", "w1(x) w2(x) w2(y) w1(y) c1 c2",
       rows_of_two_writers},
      {"G1a", "aborted read: a write that was rolled back is read", "w1(x) r2(x) a1 r2(x) c2",
       read_of_an_aborted_write},
      {"G1b", "intermediate read: a write that its own transaction replaced is read",
       "w1(x) r2(x) w1(x) c1 r2(x) c2", read_of_a_write_before_the_last},
      {"G1c", "circular information flow: each reads what the other wrote", "w1(x) w2(y) r1(y) r2(x) c1 c2",
       both_saw_the_other},
      {"OTV", "observed transaction vanishes: seen in one row, then not in another",
       "w1(x) w1(y) w2(x) c1 r3(x) r3(y) w2(y) r3(y) c2 r3(x) r3(y) c3", an_observed_writer_vanished},
      {"PMP", "predicate-many-preceders: a repeated search finds a new row", "s1 i2(p) c2 s1 c1",
       a_search_found_more},
      {"P4", "lost update: both read a row, then both write it",
       "r1(x) r2(x) w1(x) w2(x) c1 c2 | r1(x) r2(x) w1(x) c1 w2(x) c2", neither_saw_the_other},
      {"G-single", "read skew: one row from before another transaction, one from after it",
       "r1(x) r2(x) r2(y) w2(x) w2(y) c2 r1(y) c1", first_saw_before_and_after},
      {"G2-item", "write skew: both read both rows, then each writes one of them",
       "r1(x) r1(y) r2(x) r2(y) w1(x) w2(y) c1 c2 | r1(x) r1(y) r2(x) r2(y) w1(x) c1 w2(y) c2",
       neither_saw_the_other},
      {"G2", "predicate write skew: both search, then both insert what the other would have found",
       "s1 s2 i1(p) i2(q) c1 c2 | s1 s2 i1(p) c1 i2(q) c2", neither_saw_the_other},
  }};
  return kTable;
}

std::span<const ProbeAnomaly> mechanism_probes() {
  static constexpr std::array<ProbeAnomaly, 1> kTable = {{
      {"late-writer", "a transaction overwrites a row that another one has written since its snapshot",
       "r2(y) w1(x) c1 w2(x) c2", all_committed},
  }};
  return kTable;
}

std::vector<std::vector<ProbeStep>> probe_steps(std::string_view schedules) {
  constexpr std::string_view kSeparator = " | ";
  std::vector<std::vector<ProbeStep>> out;
  while (true) {
    const std::size_t end = schedules.find(kSeparator);
    out.push_back(steps_of(schedules.substr(0, end)));
    if (end == std::string_view::npos) return out;
    schedules.remove_prefix(end + kSeparator.size());
  }
}

Schema probe_schema(ProbeRows rows) {
  TableInfo table{.name = "probe", .rows = 3};
  if (rows == ProbeRows::WithValues)
    table.columns = {{.name = "value", .initial = kInitial, .indexed = true}};
  return {table};
}

}  // namespace serval
