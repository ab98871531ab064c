// When the pool does without workers that keep the caller waiting.

#include "threading/patience.hpp"

#include <gtest/gtest.h>

namespace swiglu {
namespace {

using Clock = Patience::Clock;
using std::chrono::microseconds;
using std::chrono::milliseconds;

// A call that began at `begin`: the caller worked, then waited. Returns when it ended.
Clock::time_point call(Patience& patience, std::size_t workers, Clock::time_point begin, Clock::duration worked,
                       Clock::duration waited) {
  const Clock::time_point end = begin + worked + waited;
  patience.judge(workers, begin, begin + worked, end);
  return end;
}

const Clock::time_point kStart = Clock::time_point(std::chrono::hours(1));

TEST(Patience, UnevenTasksAreNoStall) {
  Patience patience;
  call(patience, 1, kStart, microseconds(10), microseconds(490));  // short
  EXPECT_TRUE(patience.worth_a_try(kStart + milliseconds(1)));
  call(patience, 1, kStart, milliseconds(20), milliseconds(9));  // the worker gained more
  EXPECT_TRUE(patience.worth_a_try(kStart + milliseconds(30)));
  call(patience, 63, kStart, milliseconds(1), milliseconds(3));  // 63 of them all the more
  EXPECT_TRUE(patience.worth_a_try(kStart + milliseconds(5)));
}

TEST(Patience, OneStallCostsItsLength) {
  Patience patience;
  const Clock::time_point end = call(patience, 1, kStart, milliseconds(1), milliseconds(3));
  EXPECT_FALSE(patience.worth_a_try(end));
  EXPECT_FALSE(patience.worth_a_try(end + milliseconds(2)));
  EXPECT_TRUE(patience.worth_a_try(end + milliseconds(3)));
}

TEST(Patience, PausesGrowWhileStallsGoOnUpToATenthOfASecond) {
  Patience patience;
  Clock::time_point time = kStart;
  Clock::duration last{0};
  for (int stall = 0; stall < 10; ++stall) {
    const Clock::time_point end = call(patience, 1, time, milliseconds(1), milliseconds(3));
    time = end;
    while (!patience.worth_a_try(time)) time += milliseconds(1);
    EXPECT_GE(time - end, last);
    last = time - end;
    EXPECT_LE(last, milliseconds(101));
  }
  EXPECT_GE(last, milliseconds(99));
  // After a long time without one, a stall is a first one again.
  const Clock::time_point end = call(patience, 1, time + std::chrono::seconds(2), milliseconds(1), milliseconds(3));
  EXPECT_TRUE(patience.worth_a_try(end + milliseconds(12)));
}

}  // namespace
}  // namespace swiglu
