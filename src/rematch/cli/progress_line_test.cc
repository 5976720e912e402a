// SPDX-License-Identifier: Apache-2.0
#include "rematch/cli/progress_line.h"

#include <atomic>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rematch/graph/synthetic/synthetic.h"

namespace rematch {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;

Graph chain() {
  return *synthetic_graph({.family = Family::kChain, .length = 4});
}

TEST(ProgressLine, ShowsCostBoundGapAndTime) {
  const Graph graph = chain();
  const Cost base = graph.base_cost();
  EXPECT_EQ(progress_text(graph, {1.5 * base, 1.25 * base}, 3.21),
            "best 1.50000x  bound 1.25000x  gap 20.0%  3.2 s");
}

TEST(ProgressLine, SaysThatThereIsNoPlanYet) {
  EXPECT_EQ(progress_text(chain(), {}, 0.5),
            "no plan yet  bound 1.00000x  0.5 s");
}

TEST(ProgressLine, IsSilentWhereNobodyLooks) {
  std::ostringstream out;
  std::ostringstream err;
  const Console console{.out = out, .err = err};
  const Graph graph = chain();
  { ProgressLine line(console, graph); }
  EXPECT_THAT(err.str(), IsEmpty());
}

// Counts how often something was shown.
class FlushedBuffer : public std::stringbuf {
 public:
  int flushes() const { return flushes_; }
  void wait_beyond(int flushes) const { flushes_.wait(flushes); }

 protected:
  int sync() override {
    ++flushes_;
    flushes_.notify_all();
    return 0;
  }

 private:
  std::atomic<int> flushes_ = 0;
};

TEST(ProgressLine, WipesItselfOut) {
  std::ostringstream out;
  FlushedBuffer buffer;
  std::ostream err(&buffer);
  const Console console{.out = out, .err = err, .live = true};
  const Graph graph = chain();
  {
    ProgressLine line(console, graph, std::chrono::milliseconds(0));
    line.update({2 * graph.base_cost(), graph.base_cost()});
    buffer.wait_beyond(buffer.flushes());
  }
  EXPECT_THAT(buffer.str(), HasSubstr("best 2.00000x"));
  EXPECT_THAT(buffer.str(), EndsWith("\r\x1b[K"));
  EXPECT_THAT(out.str(), IsEmpty());
}

}  // namespace
}  // namespace rematch
