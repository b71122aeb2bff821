#include "serval/report/run_findings.h"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "serval/report/json_members.h"

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

std::span<const std::string> first(const std::vector<std::string>& all, std::size_t most) {
  return std::span(all).first(std::min(most, all.size()));
}

void write_keeps(JsonWriter& json, const RunFindings& run, std::optional<Level> level) {
  level ? json.boolean(!keeps(run, *level)) : json.null();
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
  json.begin_object().key("workload").text(run.workload).key("isolation").text(run.isolation);
  put_text_or_null(json, "promises", run.promises);
  put_text_or_null(json, "loss", run.loss);
  put_text_or_null(json, "found_on_the_way", run.found_on_the_way);
  json.key("mirrored").begin_object().key("violations").number(run.mirrored_in_all);
  put_texts(json, "shown", first(run.mirrored, most));
  json.end();
  put_texts(json, "notices", run.notices);
  json.key("invariant");
  if (run.invariant.empty()) {
    json.null().end();
    return;
  }
  json.begin_object().key("rule").text(run.invariant).key("looks").number(run.looks);
  json.key("broken").number(run.broken_in_all);
  put_texts(json, "shown", first(run.broken, most));
  put_texts(json, "kept_at", run.kept_at);
  json.key("asked_level_permits");
  write_keeps(json, run, asked);
  json.key("isolation_permits");
  write_keeps(json, run, find_level(run.promises));
  json.end().end();
}

}  // namespace serval
