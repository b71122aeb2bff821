#include "mirror_check.h"

#include <fmt/format.h>

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
  // Why the verdict is unknown.
  std::string reason = "no contradiction found; the mirror can refute but not prove";
  std::vector<std::string> notices;
  double seconds = 0, mirror_seconds = 0;
  std::uint64_t peak_rss_bytes = 0;
  int exit_code = 0;
};

std::string_view headline(const MirrorReport& report) {
  return report.result.violated() ? "violation" : "unknown";
}

std::string text_of(const MirrorReport& report, bool brief) {
  std::string out =
      fmt::format("{} {} {}\n", report.result.violated() ? "VIOLATION" : "UNKNOWN", printable(report.path),
                  report.profile == nullptr ? "mirror" : report.profile->name());
  if (brief) return out;
  out += online::text_of(report.result);
  if (!report.reason.empty()) out += fmt::format("  reason     {}\n", printable(report.reason));
  for (const std::string& notice : report.notices) out += fmt::format("  note       {}\n", printable(notice));
  out += fmt::format("  cost       {}, {} of it the mirror's   peak {}\n", format_seconds(report.seconds),
                     format_seconds(report.mirror_seconds), format_bytes(report.peak_rss_bytes));
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
      .number(report.peak_rss_bytes);
  json.key("exit_code").number(report.exit_code).end();
  return json.take() + "\n";
}

class MirrorCheck final : public FileCheck {
 public:
  MirrorCheck(const CheckPlan& plan, const std::string& path) : FileCheck(plan, path) { report_.path = path; }

 private:
  void judge() override {
    enter("read");
    LoadedHistory loaded = load_history(path_, plan_.reading, &budget_, progress_);
    allow_for_clock_error(loaded, path_, plan_.clock_error, Widening::Nothing);
    report_.format = loaded.format;
    report_.notices = std::move(loaded.notices);
    report_.profile = &online::choose_profile(plan_.mirror->profile, loaded.history.facts());
    if (!online::keeps_labels(loaded.history))
      report_.notices.emplace_back(
          "transactions are numbered from 1 in file order, because their labels are not distinct positive "
          "numbers");
    enter("mirror");
    const double start = seconds();
    if (loaded.history.has_times())
      report_.result = online::mirror_history(
          loaded.history, *report_.profile,
          {.most_violations = plan_.max_anomalies, .partitions = plan_.mirror->threads}, &budget_,
          plan_.clock_error.most.count());
    else
      report_.reason = "the file has no times";
    report_.mirror_seconds = seconds() - start;
  }

  void stop(Limit limit) override { report_.reason = words_of(limit); }
  Answer answer() const override { return report_.result.violated() ? Answer::Violated : Answer::Open; }

  void finish(const Ending& ending) override {
    if (report_.result.violated()) report_.reason.clear();
    end(report_, ending);
  }
  static void end(MirrorReport& report, const Ending& ending) {
    report.exit_code = ending.exit_code;
    report.seconds = ending.seconds;
    report.peak_rss_bytes = ending.peak_rss_bytes;
  }

  std::string rendered() const override { return rendered(report_); }
  std::string rendered(const MirrorReport& report) const {
    return plan_.json ? json_of(report) : text_of(report, plan_.text.brief);
  }
  std::string last_words(const Ending& ending) const override {
    MirrorReport words = report_;
    words.reason = words_of(Limit::Time);
    end(words, ending);
    return rendered(words);
  }

  MirrorReport report_;
};

}  // namespace

std::unique_ptr<FileCheck> check_by_mirror(const CheckPlan& plan, const std::string& path) {
  return std::make_unique<MirrorCheck>(plan, path);
}

}  // namespace serval::cli
