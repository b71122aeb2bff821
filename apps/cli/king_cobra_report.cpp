// The tables, the JSON and the plot of King Cobra's ablation.

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "king_cobra.h"
#include "serval/base/json_writer.h"
#include "serval/report/quantity.h"
#include "tables.h"

namespace serval::cli {
namespace {

std::string_view name_of(SessionOrder order) { return order == SessionOrder::Kept ? "yes" : "no"; }
std::string percent(double share) { return fmt::format("{:.0f} %", 100 * share); }

// Calls `visit` with the cells of each workload, which are adjacent.
template <class Visit>
void each_workload(const std::vector<KingCobraCell>& cells, const Visit& visit) {
  for (auto first = cells.begin(); first != cells.end();) {
    const auto last = std::find_if(
        first, cells.end(), [&](const KingCobraCell& cell) { return cell.workload != first->workload; });
    visit(std::vector<KingCobraCell>(first, last));
    first = last;
  }
}

void write_cells(JsonWriter& json, const std::vector<KingCobraCell>& cells) {
  json.begin_array();
  for (const KingCobraCell& cell : cells) {
    json.begin_object().key("workload").text(cell.workload);
    json.key("session_order").boolean(cell.session_order == SessionOrder::Kept);
    json.key("versions").number(cell.versions).key("verdict").text(cell.verdict);
    json.key("engine").text(cell.engine).key("seconds").number(cell.seconds);
    json.key("processor_seconds").number(cell.processor_seconds).key("paper_seconds");
    cell.paper.empty() ? json.null() : json.text(cell.paper);
    json.end();
  }
  json.end();
}

// Draws two panels with a logarithmic scale of seconds.
class Plot {
 public:
  std::string draw(const KingCobraReport& report) {
    out_ = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" font-family=\"sans-serif\" "
        "font-size=\"11\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
        kWidth, kHeight);
    text(kLeft, 18, "start",
         fmt::format("{} transactions, {} sessions, {} keys: seconds of checking",
                     report.options.transactions, report.options.sessions, report.options.keys));
    for (const double left : {kLeft, kRight}) axis(left);
    bars(report.ablation);
    lines(report.partial);
    return std::move(out_) + "</svg>\n";
  }

 private:
  static constexpr double kWidth = 900, kHeight = 360, kTop = 40, kBottom = 270, kPanel = 380;
  static constexpr double kLeft = 50, kRight = 500;
  static constexpr double kLeast = 0.001, kMost = 1000;
  static constexpr std::array<std::string_view, 4> kColours{"#4477aa", "#66ccee", "#228833", "#ccbb44"};

  static double height_of(double seconds) {
    const double bounded = std::clamp(seconds, kLeast, kMost);
    return kBottom - std::log10(bounded / kLeast) / std::log10(kMost / kLeast) * (kBottom - kTop);
  }
  void text(double x, double y, std::string_view anchor, std::string_view words) {
    out_ +=
        fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor, words);
  }
  void rule(double x1, double y1, double x2, double y2, std::string_view style) {
    out_ += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}/>\n", x1, y1, x2,
                        y2, style);
  }

  void axis(double left) {
    for (double seconds = kLeast; seconds <= kMost * 1.01; seconds *= 10) {
      const double y = height_of(seconds);
      rule(left, y, left + kPanel, y, "stroke=\"#ddd\"");
      text(left - 4, y + 4, "end", fmt::format("{:g}", seconds));
    }
    const double limit = height_of(300);
    rule(left, limit, left + kPanel, limit, "stroke=\"#aa3377\" stroke-dasharray=\"4 3\"");
    text(left + kPanel, limit - 4, "end", "limit of the paper, 300 s");
  }

  // Fig. 13: groups of four bars.
  void bars(const std::vector<KingCobraCell>& cells) {
    constexpr double kBar = 24, kGroup = kPanel / 3;
    static constexpr std::array<std::string_view, 4> kNames{"no SO, no VO", "VO", "SO", "SO and VO"};
    double left = kLeft + 10;
    each_workload(cells, [&](const std::vector<KingCobraCell>& group) {
      for (std::size_t i = 0; i < group.size(); ++i) {
        const double y = height_of(group[i].seconds);
        out_ += fmt::format(
            "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" height=\"{:.1f}\" fill=\"{}\"><title>{} {}: {:.3f} "
            "s, "
            "{}</title></rect>\n",
            left + kBar * static_cast<double>(i), y, kBar - 2, kBottom - y, kColours[i], group[i].workload,
            kNames[i], group[i].seconds, group[i].verdict);
      }
      text(left + 2 * kBar, kBottom + 16, "middle", group.front().workload);
      left += kGroup;
    });
    for (std::size_t i = 0; i < kNames.size(); ++i)
      key(kLeft + 95 * static_cast<double>(i), kColours[i], kNames[i]);
    text(kLeft, kBottom + 70, "start", "VO: 90 % of the version order given; SO: session order kept");
  }

  // Fig. 14: one line per workload.
  void lines(const std::vector<KingCobraCell>& cells) {
    std::size_t colour = 0;
    each_workload(cells, [&](const std::vector<KingCobraCell>& line) {
      std::string points;
      for (const KingCobraCell& cell : line)
        points += fmt::format("{:.1f},{:.1f} ", kRight + cell.versions * kPanel, height_of(cell.seconds));
      out_ += fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"/>\n",
                          points, kColours[colour]);
      key(kRight + 95 * static_cast<double>(colour), kColours[colour], line.front().workload);
      colour = (colour + 1) % kColours.size();
    });
    for (int tenths = 0; tenths <= 10; tenths += 2)
      text(kRight + tenths / 10.0 * kPanel, kBottom + 16, "middle", percent(tenths / 10.0));
    text(kRight, kBottom + 70, "start", "share of the version order given; session order ignored");
  }

  void key(double x, std::string_view colour, std::string_view words) {
    out_ += fmt::format("<rect x=\"{:.1f}\" y=\"{}\" width=\"10\" height=\"10\" fill=\"{}\"/>\n", x,
                        kBottom + 36, colour);
    text(x + 14, kBottom + 45, "start", words);
  }

  std::string out_;
};

}  // namespace

std::string text_of(const KingCobraReport& report) {
  const KingCobraOptions& options = report.options;
  std::string out = fmt::format("king-cobra   {}   {} sessions   {} keys   {} operations each   seed {}\n\n",
                                format_count(options.transactions, "txn"), options.sessions, options.keys,
                                options.operations, options.seed);
  std::vector<std::vector<std::string>> table{
      {"workload", "session order", "versions", "verdict", "seconds", "cpu", "paper", "engine"}};
  for (const KingCobraCell& cell : report.ablation)
    table.push_back({std::string(cell.workload), std::string(name_of(cell.session_order)),
                     percent(cell.versions), std::string(cell.verdict), fmt::format("{:.3f}", cell.seconds),
                     fmt::format("{:.3f}", cell.processor_seconds), std::string(cell.paper),
                     std::string(cell.engine)});
  out += aligned(table, 200) + "\n";
  std::vector<std::vector<std::string>> partial{{"versions"}};
  for (int tenths = 0; tenths <= 10; ++tenths) partial[0].push_back(percent(tenths / 10.0));
  each_workload(report.partial, [&](const std::vector<KingCobraCell>& line) {
    partial.push_back({std::string(line.front().workload)});
    for (const KingCobraCell& cell : line)
      partial.back().push_back(cell.verdict == "valid" ? fmt::format("{:.3f}", cell.seconds)
                                                       : std::string(cell.verdict));
  });
  out += aligned(partial, 200) + "\n";
  return out +
         "seconds: time of the check; lower table: by the share of versions given, without session order\n"
         "paper: seconds on a V100, where the text of section 8.4 states them; below 90 % of the versions,\n"
         "       read/write and heavy write do not perform well there\n";
}

std::string json_of(const KingCobraReport& report) {
  JsonWriter json;
  json.begin_object().key("schema").text("serval.bench.king-cobra/1");
  json.key("txns").number(report.options.transactions).key("sessions");
  json.number(static_cast<std::uint64_t>(report.options.sessions)).key("keys").number(report.options.keys);
  json.key("operations").number(report.options.operations).key("seed").number(report.options.seed);
  json.key("ablation");
  write_cells(json, report.ablation);
  json.key("partial");
  write_cells(json, report.partial);
  return json.end().take() + "\n";
}

std::string csv_of(const KingCobraReport& report) {
  std::string out =
      "figure,workload,session_order,versions,verdict,engine,seconds,processor_seconds,paper_seconds\n";
  for (const auto& [figure, cells] : {std::pair(13, &report.ablation), std::pair(14, &report.partial)})
    for (const KingCobraCell& cell : *cells)
      out += fmt::format("{},{},{},{},{},{},{:.6f},{:.6f},{}\n", figure, cell.workload,
                         name_of(cell.session_order), cell.versions, cell.verdict, cell.engine, cell.seconds,
                         cell.processor_seconds, cell.paper);
  return out;
}

std::string plot_of(const KingCobraReport& report) { return Plot().draw(report); }

}  // namespace serval::cli
