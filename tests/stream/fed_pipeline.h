#pragma once
// Feeds a pipeline by hand and collects what it passes on.
//
//   Pipeline pipeline({});
//   ClientFeed& feed = *pipeline.open_client("only");
//   put(feed, 10);
//   feed.close();
//   ticks(dispatched(pipeline))  // {{10, 0}}

#include <span>
#include <utility>
#include <vector>

#include "serval/stream/pipeline.h"

namespace serval {

using Tick = std::pair<Time, std::uint32_t>;  // Begin and client of a record.

// Adds a record that takes 5 ns.
inline void put(ClientFeed& feed, Time begin, std::uint64_t transaction = 0) {
  Record& record = feed.batch().add();
  record.time = {begin, begin + 5};
  record.transaction = transaction;
  feed.advance();
}

// Every record that can leave now.
inline std::vector<Record> dispatched(Pipeline& pipeline) {
  std::vector<Record> all;
  while (pipeline.dispatch([&](std::span<const Record> run) {
    all.insert(all.end(), run.begin(), run.end());
  }) == Pipeline::Progress::Moved) {
  }
  return all;
}

inline std::vector<Tick> ticks(const std::vector<Record>& records) {
  std::vector<Tick> out;
  for (const Record& record : records) out.emplace_back(record.time.begin, record.session);
  return out;
}

}  // namespace serval
