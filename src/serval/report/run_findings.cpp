#include "serval/report/run_findings.h"

#include <algorithm>

#include <fmt/format.h>

namespace serval {
namespace {

bool keeps(const RunFindings& run, Level level) {
  return std::ranges::any_of(run.kept_at, [&](const std::string& name) {
    const std::optional<Level> needed = find_level(name);
    return needed && implies(level, *needed);
  });
}

std::string permission(const RunFindings& run, Level level) {
  if (keeps(run, level)) return fmt::format("{} forbids this", name_of(level));
  return fmt::format("{} permits this: only {} guarantees this invariant", name_of(level),
                     fmt::join(run.kept_at, " or "));
}

void write_keeps(JsonWriter& json, const RunFindings& run, std::optional<Level> level) {
  if (level)
    json.boolean(!keeps(run, *level));
  else
    json.null();
}

}  // namespace

std::vector<std::string> permissions(const RunFindings& run, std::optional<Level> asked) {
  std::vector<std::string> out;
  const std::optional<Level> promised = find_level(run.promises);
  if (asked) out.push_back(permission(run, *asked));
  if (promised && promised != asked)
    out.push_back(fmt::format("the isolation {} promises {}, which {}", run.isolation, name_of(*promised),
                              keeps(run, *promised) ? "forbids this" : "permits it"));
  return out;
}

std::optional<Level> level_that_keeps(const RunFindings& run, std::optional<Level> asked) {
  if (run.kept_at.empty() || (asked && keeps(run, *asked))) return std::nullopt;
  return find_level(run.kept_at.front());
}

void write_json(JsonWriter& json, const RunFindings& run, std::optional<Level> asked, std::size_t most) {
  json.begin_object().key("workload").text(run.workload).key("isolation").text(run.isolation).key("promises");
  run.promises.empty() ? json.null() : json.text(run.promises);
  json.key("loss");
  run.loss.empty() ? json.null() : json.text(run.loss);
  json.key("found_on_the_way");
  run.found_on_the_way.empty() ? json.null() : json.text(run.found_on_the_way);
  json.key("mirrored")
      .begin_object()
      .key("violations")
      .number(run.mirrored_in_all)
      .key("shown")
      .begin_array();
  for (std::size_t i = 0; i < std::min(most, run.mirrored.size()); ++i) json.text(run.mirrored[i]);
  json.end().end();
  json.key("notices").begin_array();
  for (const std::string& notice : run.notices) json.text(notice);
  json.end();
  json.key("invariant");
  if (run.invariant.empty()) {
    json.null().end();
    return;
  }
  json.begin_object().key("rule").text(run.invariant).key("looks").number(run.looks);
  json.key("broken").number(run.broken_in_all).key("shown").begin_array();
  for (std::size_t i = 0; i < std::min(most, run.broken.size()); ++i) json.text(run.broken[i]);
  json.end().key("kept_at").begin_array();
  for (const std::string& level : run.kept_at) json.text(level);
  json.end().key("asked_level_permits");
  write_keeps(json, run, asked);
  json.key("isolation_permits");
  write_keeps(json, run, find_level(run.promises));
  json.end().end();
}

}  // namespace serval
