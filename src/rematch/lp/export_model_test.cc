// SPDX-License-Identifier: Apache-2.0
#include "rematch/lp/export_model.h"

#include <gtest/gtest.h>

namespace rematch {
namespace {

LinearModel small_model() {
  LinearModel model;
  const FamilyId keep = model.family("keep");
  const FamilyId extra = model.family("extra");
  const ColumnId a = model.add_column(keep, {0, 1, 0.1, true});
  const ColumnId b = model.add_column(extra, {-kInfinity, 2.5, -3, false});
  model.add_row(model.family("memory"), 1, 4, {{a, 2.0}, {b, -1.0}});
  model.add_row(model.family("memory"), -kInfinity, kInfinity, {{a, 1.0}});
  model.add_row(model.family("link"), 0, 0, {{a, 1.0}, {b, 1e-7}});
  model.set_offset(7);
  return model;
}

TEST(ToMps, WritesEverySection) {
  EXPECT_EQ(to_mps(small_model()),
            "NAME rematch\n"
            "ROWS\n"
            " N cost\n"
            " G memory[0]\n"
            " N memory[1]\n"
            " E link[0]\n"
            "COLUMNS\n"
            " marker 'MARKER' 'INTORG'\n"
            " keep[0] cost 0.1\n"
            " keep[0] memory[0] 2\n"
            " keep[0] memory[1] 1\n"
            " keep[0] link[0] 1\n"
            " marker 'MARKER' 'INTEND'\n"
            " extra[0] cost -3\n"
            " extra[0] memory[0] -1\n"
            " extra[0] link[0] 1e-07\n"
            "RHS\n"
            " rhs cost -7\n"
            " rhs memory[0] 1\n"
            "RANGES\n"
            " range memory[0] 3\n"
            "BOUNDS\n"
            " LO bound keep[0] 0\n"
            " UP bound keep[0] 1\n"
            " MI bound extra[0]\n"
            " UP bound extra[0] 2.5\n"
            "ENDATA\n");
}

TEST(ToLp, WritesEverySection) {
  EXPECT_EQ(to_lp(small_model()),
            "Minimize\n"
            " cost: + 0.1 keep_0 - 3 _extra_0 + 7\n"
            "Subject To\n"
            " memory_0: + 2 keep_0 - 1 _extra_0 >= 1\n"
            " memory_0.upper: + 2 keep_0 - 1 _extra_0 <= 4\n"
            " link_0: + 1 keep_0 + 1e-07 _extra_0 = 0\n"
            "Bounds\n"
            " 0 <= keep_0 <= 1\n"
            " -inf <= _extra_0 <= 2.5\n"
            "General\n"
            " keep_0\n"
            "End\n");
}

TEST(ToLp, BreaksLongLines) {
  LinearModel model;
  const FamilyId x = model.family("x");
  for (int i = 0; i < 100; ++i) model.add_column(x, {0, 1, 1.0 / 3, false});
  const std::string text = to_lp(model);
  std::size_t begin = 0;
  for (std::size_t end = 0; (end = text.find('\n', begin)) != text.npos;
       begin = end + 1) {
    EXPECT_LE(end - begin, 255u);
  }
}

}  // namespace
}  // namespace rematch
