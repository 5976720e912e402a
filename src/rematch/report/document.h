// SPDX-License-Identifier: Apache-2.0
// The data of a report's page, as compact JSON.
#pragma once

#include <string>

#include "rematch/report/report.h"

namespace rematch {

// One JSON object on one line. Ops, tensors and storages are numbers, columns
// of them are lists, so that 2,000 ops take a few hundred kB. The same report
// gives the same text. The page's data.js reads it; docs/report.md lists the
// fields.
//
// A step is the number of an op, or minus one minus the number of a tensor that
// is dropped. Footprints are replay's, of compute steps only. Plan number 0 is
// that of keeping everything.
std::string report_document(const Report& report);

}  // namespace rematch
