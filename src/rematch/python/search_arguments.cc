// SPDX-License-Identifier: Apache-2.0
#include "rematch/python/search_arguments.h"

#include <nanobind/nanobind.h>

namespace rematch {

std::string written(const nanobind::handle& value) {
  return nanobind::str(value).c_str();
}

Request to_request(const SearchOptions& options) {
  Limits limits;
  limits.seconds = options.time_limit.value_or(limits.seconds);
  limits.work = options.work_limit.value_or(limits.work);
  limits.gap = options.gap;
  limits.threads = options.threads.value_or(available_threads());
  limits.seed = options.seed;
  return limits;
}

}  // namespace rematch
