#include "mirror_check.h"

#include <new>

#include <fmt/format.h>

#include "exit_code.h"
#include "interruption.h"
#include "memory_limit.h"
#include "output.h"
#include "serval/base/error.h"
#include "serval/base/json_writer.h"
#include "serval/base/printable.h"
#include "serval/online/mirror_history.h"
#include "serval/online/online_report.h"
#include "serval/report/quantity.h"

namespace serval::cli {
namespace {

using online::OnlineResult;
using online::Profile;

struct MirrorReport {
  std::string path, format;
  const Profile* profile = nullptr;
  OnlineResult result;
  std::string reason;  // Why the verdict is unknown.
  std::vector<std::string> notices;
  double seconds = 0, mirror_seconds = 0;
  int exit_code = 0;
};

std::string_view headline(const MirrorReport& report) {
  return report.result.violated() ? "violation" : "unknown";
}

std::string text_of(const MirrorReport& report, const MirrorPlan& plan) {
  std::string out =
      fmt::format("{} {} {}\n", report.result.violated() ? "VIOLATION" : "UNKNOWN", printable(report.path),
                  report.profile == nullptr ? "mirror" : report.profile->name());
  if (plan.quiet) return out;
  out += online::text_of(report.result);
  if (!report.reason.empty()) out += fmt::format("  reason     {}\n", printable(report.reason));
  for (const std::string& notice : report.notices) out += fmt::format("  note       {}\n", printable(notice));
  out += fmt::format("  cost       {}, {} of it the mirror's   peak {}\n", format_seconds(report.seconds),
                     format_seconds(report.mirror_seconds), format_bytes(peak_rss_bytes()));
  return out;
}

std::string json_of(const MirrorReport& report) {
  JsonWriter json;
  json.begin_object().key("schema").text("serval.mirror/1").key("path").text(report.path);
  json.key("verdict").text(headline(report)).key("engine").text("mirror").key("complete").boolean(false);
  json.key("format").text(report.format).key("profile");
  if (report.profile == nullptr)
    json.null();
  else
    json.text(report.profile->name());
  json.key("level").begin_object().key("asked");
  if (report.profile == nullptr)
    json.null();
  else
    json.text(name_of(report.profile->level));
  json.end();
  online::write_json(json, report.result);
  json.key("reason").text(report.reason);
  json.key("time_s")
      .number(report.seconds)
      .key("mirror_s")
      .number(report.mirror_seconds)
      .key("peak_rss_bytes")
      .number(peak_rss_bytes());
  json.key("exit_code").number(report.exit_code).end();
  return json.take() + "\n";
}

}  // namespace

int check_file_by_mirror(const MirrorPlan& plan, const std::string& path) {
  const auto start = Budget::Clock::now();
  Progress progress(plan.progress, path);
  Budget budget = interruptible().within(start + plan.timeout);
  MirrorReport report{.path = path, .reason = "no contradiction found; the mirror can refute but not prove"};
  MemoryLimit memory(plan.memory_limit);
  try {
    progress.phase("read");
    LoadedHistory loaded = load_history(path, plan.reading, &budget, progress);
    report.format = loaded.format;
    report.notices = std::move(loaded.notices);
    report.profile = &online::choose_profile(plan.profile, loaded.history.facts());
    if (!online::keeps_labels(loaded.history))
      report.notices.emplace_back(
          "transactions are numbered from 1 in file order, because their labels are not distinct positive "
          "numbers");
    progress.phase("mirror");
    const auto mirror_start = Budget::Clock::now();
    if (loaded.history.has_times())
      report.result = online::mirror_history(
          loaded.history, *report.profile,
          {.most_violations = plan.most_violations, .partitions = plan.threads}, &budget);
    else
      report.reason = "the file has no times";
    report.mirror_seconds = std::chrono::duration<double>(Budget::Clock::now() - mirror_start).count();
  } catch (const BudgetExhausted&) {
    report.reason = caught_signal() != 0 ? "stopped by a signal"
                                         : fmt::format("time budget of {} used up", plan.timeout_text);
  } catch (const std::bad_alloc&) {
    memory.lift();
    report.reason = fmt::format("memory budget of {} used up", format_bytes(plan.memory_limit));
  }
  memory.lift();
  progress.clear();
  if (report.result.violated()) report.reason.clear();
  report.seconds = std::chrono::duration<double>(Budget::Clock::now() - start).count();
  report.exit_code = report.result.violated() ? kViolated
                     : caught_signal() != 0   ? 128 + caught_signal()
                     : plan.unknown_passes    ? kHolds
                                              : kUndecided;
  print(plan.json ? json_of(report) : text_of(report, plan));
  return report.exit_code;
}

}  // namespace serval::cli
