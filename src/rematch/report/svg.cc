// SPDX-License-Identifier: Apache-2.0
#include "rematch/report/svg.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "rematch/report/columns.h"

namespace rematch {
namespace {

constexpr double kWidth = 800;
constexpr double kHeight = 360;
constexpr double kLeft = 76;
constexpr double kRight = 16;
constexpr double kTop = 56;
constexpr double kBottom = 36;
constexpr double kPlotWidth = kWidth - kLeft - kRight;
constexpr double kPlotHeight = kHeight - kTop - kBottom;
constexpr int kGridLines = 4;

constexpr std::string_view kStyle =
    "text{font:12px system-ui,sans-serif;fill:#55606c}"
    ".title{font-size:15px;font-weight:600;fill:#1b2128}"
    ".grid{stroke:#e6e9ed}.plan{fill:#4f6fb3;fill-opacity:.55;stroke:#2c4a8c}"
    ".keep{fill:none;stroke:#7a828c;stroke-width:1.5}"
    ".budget{stroke:#b3261e;stroke-width:1.5;stroke-dasharray:6 4}"
    ".peak{fill:#1b2128}";

// Text as it may stand between tags: no markup, and nothing that XML forbids.
std::string xml_text(std::string_view text) {
  std::string result;
  for (char c : text) {
    if (c == '<') {
      result += "&lt;";
    } else if (c == '>') {
      result += "&gt;";
    } else if (c == '&') {
      result += "&amp;";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      result += ' ';
    } else {
      result += c;
    }
  }
  return result;
}

// The first so many bytes, not cut inside of a character.
std::string_view beginning(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xc0) == 0x80) {
    --most;
  }
  return text.substr(0, most);
}

class Picture {
 public:
  explicit Picture(Bytes most) : most_(std::max<Bytes>(most, 1)) {}

  double y(Bytes bytes) const {
    return kTop + kPlotHeight * (1 - static_cast<double>(bytes) /
                                         (1.04 * static_cast<double>(most_)));
  }

  void add(std::string_view part) { parts_ += part; }

  // Steps from left to right, as the data of a path.
  std::string steps(const std::vector<Bytes>& values) const {
    std::string path;
    const double width = kPlotWidth / static_cast<double>(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      path += fmt::format("{}{:.2f},{:.2f}H{:.2f}", i == 0 ? "M" : "L",
                          kLeft + static_cast<double>(i) * width, y(values[i]),
                          kLeft + static_cast<double>(i + 1) * width);
    }
    return path;
  }

  void add_grid() {
    for (int i = 0; i <= kGridLines; ++i) {
      const Bytes bytes = most_ / kGridLines * i;
      add(
          fmt::format("<path class=\"grid\" d=\"M{},{:.2f}H{}\"/>"
                      "<text x=\"{}\" y=\"{:.2f}\" "
                      "text-anchor=\"end\">{}</text>\n",
                      kLeft, y(bytes), kWidth - kRight, kLeft - 8, y(bytes) + 4,
                      format_bytes(bytes)));
    }
  }

  std::string finish() const {
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" "
        "height=\"{1}\" viewBox=\"0 0 {0} {1}\" role=\"img\">\n"
        "<style>{2}</style>\n<rect width=\"{0}\" height=\"{1}\" "
        "fill=\"#fff\"/>\n{3}</svg>\n",
        kWidth, kHeight, kStyle, parts_);
  }

 private:
  Bytes most_;
  std::string parts_;
};

void add_texts(const Graph& graph, const MeasuredPlan& plan,
               std::size_t num_runs, Bytes keep_all, Picture& picture) {
  const std::string name = graph.name().empty() ? "plan" : graph.name();
  picture.add(fmt::format(
      "<title>Memory of {0}: peak {1}</title>\n"
      "<text class=\"title\" x=\"{2}\" y=\"24\">{0}</text>\n"
      "<text x=\"{2}\" y=\"42\">plan: peak {1}; keeping everything: "
      "{3}</text>\n"
      "<text x=\"{4}\" y=\"{5}\" text-anchor=\"end\">{6} runs of ops</text>\n",
      xml_text(beginning(name, 80)), format_bytes(plan.peak()), kLeft,
      format_bytes(keep_all), kWidth - kRight, kHeight - 12,
      format_exact(static_cast<std::int64_t>(num_runs))));
}

}  // namespace

std::string plan_to_svg(const Graph& graph, const MeasuredPlan& plan) {
  constexpr auto kPixels = static_cast<std::size_t>(kPlotWidth);
  const Columns columns = columns_of(graph, plan);
  const auto footprint = largest_of_parts(columns.footprint, kPixels);
  const auto keep_all = largest_of_parts(columns.keep_all, kPixels);
  Bytes most = plan.peak();
  for (Bytes bytes : keep_all) most = std::max(most, bytes);
  const Bytes without =
      keep_all.empty() ? graph.fixed_bytes()
                       : *std::max_element(keep_all.begin(), keep_all.end());
  if (plan.certificate) most = std::max(most, plan.certificate->budget);
  Picture picture(most);
  add_texts(graph, plan, columns.footprint.size(), without, picture);
  picture.add_grid();
  if (!footprint.empty()) {
    picture.add(fmt::format("<path class=\"plan\" d=\"{}V{:.2f}H{}Z\"/>\n",
                            picture.steps(footprint), picture.y(0), kLeft));
    picture.add(fmt::format("<path class=\"keep\" d=\"{}\"/>\n",
                            picture.steps(keep_all)));
  }
  if (plan.certificate) {
    const double y = picture.y(plan.certificate->budget);
    picture.add(fmt::format(
        "<path class=\"budget\" d=\"M{},{:.2f}H{}\"/><text x=\"{}\" "
        "y=\"{:.2f}\" text-anchor=\"end\">budget {}</text>\n",
        kLeft, y, kWidth - kRight, kWidth - kRight, y - 5,
        format_bytes(plan.certificate->budget)));
  }
  return picture.finish();
}

}  // namespace rematch
