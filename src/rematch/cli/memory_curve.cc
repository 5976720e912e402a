// SPDX-License-Identifier: Apache-2.0
#include "rematch/cli/memory_curve.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "rematch/base/check.h"
#include "rematch/report/columns.h"

namespace rematch {
namespace {

constexpr std::size_t kRows = 8;
constexpr std::size_t kLabelWidth = 11;  // "1023.9 MiB ".
constexpr std::size_t kMostColumns = 100;
constexpr std::size_t kFewestColumns = 10;
constexpr int kEighths = 8;

// What a cell of the chart is drawn with, from empty to full.
constexpr std::array<std::string_view, kEighths + 1> kBlocks = {
    " ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr std::array<std::string_view, kEighths + 1> kPlain = {
    " ", " ", ".", ".", ":", ":", "#", "#", "#"};

class Chart {
 public:
  Chart(const Columns& columns, Bytes budget, std::size_t width,
        const Console& console)
      : console_(console),
        plan_(largest_of_parts(columns.footprint, width)),
        keep_all_(largest_of_parts(columns.keep_all, width)),
        budget_(budget) {
    for (Bytes bytes : plan_) top_ = std::max(top_, bytes);
    for (Bytes bytes : keep_all_) top_ = std::max(top_, bytes);
    top_ = std::max(top_, budget);
  }

  void print() const {
    const std::size_t budget_row = row_of(budget_);
    for (std::size_t row = kRows; row-- > 0;) {
      std::string label(kLabelWidth, ' ');
      if (row == kRows - 1) label = labelled(top_);
      if (row == budget_row) label = labelled(budget_);
      if (row == 0) label = labelled(0);
      console_.out << console_.styled(Style::kDim, label) << line(row)
                   << (row == budget_row
                           ? console_.styled(Style::kBad, " budget")
                           : "")
                   << '\n';
    }
  }

 private:
  static std::string labelled(Bytes bytes) {
    return fmt::format("{:>{}} ", format_bytes(bytes), kLabelWidth - 1);
  }

  // How much of a cell of the row is below `bytes`, in eighths.
  int eighths(Bytes bytes, std::size_t row) const {
    const double height =
        static_cast<double>(bytes) / static_cast<double>(top_) * kRows;
    const double part = (height - static_cast<double>(row)) * kEighths;
    return static_cast<int>(std::clamp(std::round(part), 0.0, 8.0));
  }

  std::size_t row_of(Bytes bytes) const {
    const double height =
        static_cast<double>(bytes) / static_cast<double>(top_) * kRows;
    return std::min(kRows - 1, static_cast<std::size_t>(height));
  }

  std::string line(std::size_t row) const {
    const auto& shapes = console_.unicode ? kBlocks : kPlain;
    const std::string_view above = console_.unicode ? "·" : "'";
    std::string result;
    for (std::size_t column = 0; column < plan_.size(); ++column) {
      const int part = eighths(plan_[column], row);
      if (part == 0 && eighths(keep_all_[column], row) > 0) {
        result += above;
      } else {
        result += shapes[static_cast<std::size_t>(part)];
      }
    }
    return result;
  }

  const Console& console_;
  std::vector<Bytes> plan_;
  std::vector<Bytes> keep_all_;
  Bytes budget_;
  Bytes top_ = 1;
};

}  // namespace

void print_memory_curve(const Graph& graph, const Solution& solution,
                        const Console& console) {
  const auto plan = measure(graph, solution.strategy, solution);
  REMATCH_CHECK(plan.ok(), "what solve() answers is true");
  const Columns columns = columns_of(graph, *plan);
  constexpr std::size_t kBeside = kLabelWidth + 7;  // And " budget".
  if (columns.footprint.empty() || console.columns < kBeside + kFewestColumns) {
    return;
  }
  const std::size_t width = std::min(kMostColumns, console.columns - kBeside);
  Chart(columns, solution.budget, width, console).print();
  console.out << console.styled(
      Style::kDim,
      fmt::format(
          "{:>{}}{} runs of ops; {} keeping everything\n", "", kLabelWidth,
          format_exact(static_cast<std::int64_t>(columns.footprint.size())),
          console.unicode ? "·" : "'"));
}

}  // namespace rematch
