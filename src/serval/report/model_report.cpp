#include "serval/report/model_report.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "serval/base/json_writer.h"
#include "serval/base/printable.h"
#include "serval/report/json_members.h"
#include "serval/report/quantity.h"

namespace serval {
namespace {

constexpr std::size_t kLabelWidth = 11;  // As in text_report.
constexpr std::size_t kShownOrder = 5;   // The last operations of a linearization.

using Ending = ClientOperation::Ending;

constexpr std::array<std::string_view, 3> kEndings{"ok", "fail", "info"};
std::string_view name_of(Ending ending) { return kEndings[static_cast<std::size_t>(ending)]; }

std::array<std::uint64_t, 3> endings(const ClientHistory& history) {
  std::array<std::uint64_t, 3> counts{};
  for (const ClientOperation& operation : history.operations())
    ++counts[static_cast<std::size_t>(operation.ending)];
  return counts;
}

std::uint64_t total(const ModelResult& result) {
  std::uint64_t sum = 0;
  for (const auto& [kind, count] : result.counts) sum += count;
  return sum;
}

class ModelText {
 public:
  ModelText(const ModelReport& report, const TextOptions& options) : report_(report), options_(options) {}

  std::string write() && {
    first_line();
    if (options_.brief) return std::move(out_);
    counts();
    if (!report_.result.reason.empty()) labelled("reason", report_.result.reason);
    for (std::size_t i = 0; i < report_.result.findings.size(); ++i) finding(i);
    if (!report_.result.findings.empty()) out_ += "\n";
    pairs("found", report_.result.counts,
          [](const auto& one) { return fmt::format("{} {}", format_count(one.second), one.first); });
    pairs("facts", report_.result.facts,
          [](const auto& one) { return fmt::format("{} {}", one.first, one.second); });
    for (const std::string& notice : report_.notices) labelled("note", notice);
    if (report_.verification == Verification::Passed)
      labelled("verified", "the evidence was verified against the raw history");
    labelled("cost", fmt::format("{}   peak {}", format_seconds(report_.budget.seconds),
                                 format_bytes(report_.budget.peak_rss_bytes)));
    return std::move(out_);
  }

 private:
  std::string coloured(std::string_view text, int code) const {
    return options_.colour ? fmt::format("\x1b[1;{}m{}\x1b[0m", code, text) : std::string(text);
  }
  void labelled(std::string_view label, std::string_view text) {
    out_ += fmt::format("  {}{}\n", padded(label, kLabelWidth), printable(text));
  }

  void first_line() {
    constexpr std::array<std::string_view, 3> kWords{"VALID", "VIOLATION", "UNKNOWN"};
    constexpr std::array kColours{32, 31, 33};
    const auto verdict = static_cast<std::size_t>(report_.result.verdict);
    out_ += fmt::format("{} {} {}\n", coloured(kWords[verdict], kColours[verdict]), printable(report_.path),
                        info(report_.model).name);
  }

  void counts() {
    if (report_.history == nullptr) return;
    const std::array<std::uint64_t, 3> by_ending = endings(*report_.history);
    const std::uint64_t processes = report_.history->process_count();
    out_ += fmt::format("  {} ({} {}, {} {}, {} {})   {} process{}\n",
                        format_count(report_.history->operations().size(), "op"), format_count(by_ending[0]),
                        kEndings[0], format_count(by_ending[1]), kEndings[1], format_count(by_ending[2]),
                        kEndings[2], format_count(processes), processes == 1 ? "" : "es");
  }

  void finding(std::size_t i) {
    const Finding& one = report_.result.findings[i];
    const auto earlier = std::count_if(report_.result.findings.begin(),
                                       report_.result.findings.begin() + static_cast<std::ptrdiff_t>(i),
                                       [&](const Finding& other) { return other.kind == one.kind; });
    out_ += fmt::format("\n  {} #{} of {}\n", coloured(one.kind, 31), earlier + 1,
                        format_count(report_.result.counts.find(one.kind)->second));
    for (const LinearizedPart& part : report_.result.parts)
      if (one.operations.front() == part.stuck) last_of(part);
    for (const std::uint32_t operation : one.operations) line("", operation);
    out_ += fmt::format("    {}\n", printable(one.words));
  }

  void last_of(const LinearizedPart& part) {
    const std::size_t first =
        options_.detailed ? 0 : part.order.size() - std::min(kShownOrder, part.order.size());
    if (first > 0) out_ += fmt::format("    … {} before\n", format_count(first, "operation"));
    for (std::size_t i = first; i < part.order.size(); ++i) line(fmt::format("{}. ", i + 1), part.order[i]);
  }

  void line(const std::string& number, std::uint32_t i) {
    const ClientHistory& history = *report_.history;
    const ClientOperation& operation = history.operations()[i];
    const std::string process =
        history.process(operation).is_nil()
            ? ""
            : fmt::format("   process {}", history.format(history.process(operation)));
    const std::string until = operation.last_entry == operation.began
                                  ? std::string()
                                  : fmt::format("..{}", history.index(operation.last_entry));
    out_ += fmt::format("    {}index {}{}{}   {}\n", number, history.index(operation.began), until, process,
                        printable(history.format(operation)));
  }

  template <class Pairs, class Format>
  void pairs(std::string_view label, const Pairs& all, const Format& format) {
    std::string text;
    for (const auto& one : all) text += (text.empty() ? "" : ", ") + format(one);
    if (!text.empty()) labelled(label, text);
  }

  const ModelReport& report_;
  const TextOptions& options_;
  std::string out_;
};

class ModelJson {
 public:
  explicit ModelJson(const ModelReport& report) : report_(report) {}

  std::string write() && {
    begin_report(json_, "serval.model/1", report_);
    json_.end().key("verdict").text(headline(report_.result.verdict));
    json_.key("model").text(info(report_.model).name);
    json_.key("complete").boolean(report_.result.verdict != ModelVerdict::Unknown);
    put_text_or_null(json_, "reason", report_.result.reason);
    json_.key("counts");
    report_.history != nullptr ? counts(*report_.history) : json_.null();
    facts();
    findings();
    linearizations();
    json_.key("verified").boolean(report_.verification == Verification::Passed);
    put_phases(json_, report_.phases);
    json_.key("time_s").number(report_.budget.seconds);
    json_.key("peak_rss_bytes").number(report_.budget.peak_rss_bytes);
    return json_.key("exit_code").number(report_.exit_code).end().take();
  }

 private:
  JsonWriter& counts(const ClientHistory& history) {
    const std::array<std::uint64_t, 3> by_ending = endings(history);
    json_.begin_object().key("ops").number(std::uint64_t{history.operations().size()});
    json_.key("ok").number(by_ending[0]).key("fail").number(by_ending[1]).key("info").number(by_ending[2]);
    return json_.key("processes").number(std::uint64_t{history.process_count()}).end();
  }

  void facts() {
    json_.key("facts").begin_object();
    for (const auto& [name, value] : report_.result.facts) json_.key(name).text(value);
    json_.end();
  }

  void findings() {
    json_.key("findings").begin_object().key("total").number(total(report_.result));
    json_.key("by_type").begin_object();
    for (const auto& [kind, count] : report_.result.counts) json_.key(kind).number(count);
    json_.end().key("shown").begin_array();
    for (const Finding& one : report_.result.findings) {
      json_.begin_object().key("type").text(one.kind).key("subject");
      one.subject.is_nil() ? json_.null() : json_.text(report_.history->format(one.subject));
      json_.key("operations").begin_array();
      for (const std::uint32_t i : one.operations) operation(report_.history->operations()[i]);
      json_.end().key("prose").text(one.words).end();
    }
    json_.end().end();
  }

  void operation(const ClientOperation& one) {
    const ClientHistory& history = *report_.history;
    json_.begin_object().key("index").number(history.index(one.began)).key("end_index");
    one.last_entry == one.began ? json_.null() : json_.number(history.index(one.last_entry));
    json_.key("process");
    history.process(one).is_nil() ? json_.null() : json_.text(history.format(history.process(one)));
    json_.key("f").text(history.function(one)).key("type").text(name_of(one.ending));
    json_.key("value").text(history.format(one.ok() ? *one.result : *one.argument)).end();
  }

  // Indices of the invocations.
  void linearizations() {
    json_.key("linearizations").begin_array();
    for (const LinearizedPart& part : report_.result.parts) {
      json_.begin_object();
      put_text_or_null(json_, "object", part.name);
      json_.key("order").begin_array();
      for (const std::uint32_t i : part.order) json_.number(index(i));
      json_.end().key("stuck");
      part.stuck == ClientOperation::kNever ? json_.null() : json_.number(index(part.stuck));
      json_.end();
    }
    json_.end();
  }
  std::int64_t index(std::uint32_t i) const {
    return report_.history->index(report_.history->operations()[i].began);
  }

  const ModelReport& report_;
  JsonWriter json_;
};

}  // namespace

std::string_view headline(ModelVerdict verdict) {
  constexpr std::array<std::string_view, 3> kWords{"valid", "violation", "unknown"};
  return kWords[static_cast<std::size_t>(verdict)];
}

std::string model_text_report(const ModelReport& report, const TextOptions& options) {
  return ModelText(report, options).write();
}

std::string model_json_report(const ModelReport& report) { return ModelJson(report).write(); }

}  // namespace serval
