// SPDX-License-Identifier: Apache-2.0
#include "rematch/cli/search_options.h"

#include <optional>

#include <fmt/format.h>

#include "rematch/base/decimal.h"
#include "rematch/cli/interrupt.h"
#include "rematch/cli/validators.h"

namespace rematch {
namespace {

// "0.1%" or "0.001".
Result<double> parse_gap(std::string_view text) {
  const bool percent = !text.empty() && text.back() == '%';
  const auto number =
      parse_decimal(text.substr(0, text.size() - (percent ? 1 : 0)));
  if (!number) {
    return Error{
        ErrorCode::kInvalidArgument,
        fmt::format("--gap '{}' is not a share such as 0.1% or 0.001", text)};
  }
  const double value = static_cast<double>(number->numerator) /
                       static_cast<double>(number->denominator);
  return percent ? value / 100 : value;
}

}  // namespace

void add_search_options(Command command, SearchOptions& options) {
  command
      .add_option("--order", options.order,
                  "first computations in the graph's order, or in any that "
                  "respects the dependencies")
      .check(one_of({"fixed", "free"}))
      .type_name("RULE")
      .show_default();
  command
      .add_option("--time-limit", options.time_limit,
                  "seconds; the best answer so far is given")
      .check(non_negative_number())
      .type_name("SECONDS")
      .show_default();
  command
      .add_option("--work-limit", options.work_limit,
                  "units of search work; stops at the same place everywhere")
      .check(positive_integer())
      .type_name("N");
  command
      .add_option("--gap", options.gap,
                  "stop once the plan is proved to be within this of the best")
      .type_name("SHARE")
      .show_default();
  command
      .add_option("--threads", options.threads,
                  "threads to use (default: one per processor)")
      .check(positive_integer())
      .type_name("N");
  command
      .add_option("--seed", options.seed,
                  "for strategies that draw random numbers (see 'rematch "
                  "strategies'); others give the same plan for every seed")
      .check(seed_number())
      .type_name("N")
      .show_default();
  command
      .add_option("--formulation", options.formulation,
                  "milp: split (default), paper or telescoped")
      .check(one_of({"split", "paper", "telescoped"}))
      .type_name("NAME");
  command
      .add_option("--rounding", options.rounding,
                  "lp_rounding: sweep (default), threshold or random")
      .check(one_of({"sweep", "threshold", "random"}))
      .type_name("NAME");
}

namespace {

Result<Limits> to_limits(const SearchOptions& options) {
  const auto gap = parse_gap(options.gap);
  if (!gap) return gap.error();
  Limits limits;
  limits.seconds = options.time_limit;
  if (options.work_limit > 0) limits.work = options.work_limit;
  limits.gap = *gap;
  limits.threads = options.threads > 0 ? options.threads : available_threads();
  limits.seed = options.seed;
  limits.interrupt = &watch_for_interrupt();
  return limits;
}

// An error if `option` was given but its strategy is not among those asked for.
std::optional<Error> misplaced(std::string_view option, std::string_view owner,
                               const std::string& given,
                               std::span<const Strategy* const> strategies) {
  if (given.empty()) return std::nullopt;
  std::string names;
  for (const Strategy* strategy : strategies) {
    if (strategy->name == owner) return std::nullopt;
    names += fmt::format("{}'{}'", names.empty() ? "" : ", ", strategy->name);
  }
  return Error{ErrorCode::kInvalidArgument,
               fmt::format("{} is for the strategy {}, not for {}", option,
                           owner, names)};
}

}  // namespace

Result<Request> to_request(const SearchOptions& options,
                           std::span<const Strategy* const> strategies) {
  const auto limits = to_limits(options);
  if (!limits) return limits.error();
  if (auto error =
          misplaced("--formulation", "milp", options.formulation, strategies)) {
    return *error;
  }
  if (auto error = misplaced("--rounding", "lp_rounding", options.rounding,
                             strategies)) {
    return *error;
  }
  Request request(*limits);
  if (!options.formulation.empty()) {
    request.formulation = *formulation_from_name(options.formulation);
  }
  if (!options.rounding.empty()) {
    request.rounding = *rounding_from_name(options.rounding);
  }
  return request;
}

OrderRule to_order(const SearchOptions& options) {
  return *order_from_name(options.order);
}

}  // namespace rematch
