// The default number of threads follows cgroup quotas on the whole path (hard cases T-01, T-02). Fake folders stand in
// for /sys/fs/cgroup.

#include "threading/thread_count.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <swiglu/executor.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace swiglu {
namespace {

class CgroupLimit : public ::testing::Test {
 protected:
  CgroupLimit() : root_(std::filesystem::temp_directory_path() / ("swiglu_cgroup_" + std::to_string(getpid()))) {
    std::filesystem::create_directories(root_);
  }
  ~CgroupLimit() override { std::filesystem::remove_all(root_); }

  void write(const std::string& path, const std::string& text) {
    const std::filesystem::path file = root_ / path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }

  std::size_t limit(const std::string& cgroup) {
    write("self", cgroup);
    return cgroup_cpu_limit((root_ / "self").string(), (root_ / "fs").string());
  }

  std::filesystem::path root_;
};

TEST_F(CgroupLimit, QuotaIsRoundedUp) {
  write("fs/a/cpu.max", "50000 100000\n");
  EXPECT_EQ(limit("0::/a\n"), 1u);
  write("fs/a/cpu.max", "250000 100000\n");
  EXPECT_EQ(limit("0::/a\n"), 3u);
  write("fs/a/cpu.max", "9223372036854775807 100000\n");
  EXPECT_EQ(limit("0::/a\n"), 92233720368548u) << "rounding up must not overflow";
}

TEST_F(CgroupLimit, TheSmallestOnThePathBinds) {
  write("fs/a/b/cpu.max", "max 100000\n");
  write("fs/a/cpu.max", "200000 100000\n");
  EXPECT_EQ(limit("0::/a/b\n"), 2u);
  write("fs/cpu.max", "100000 100000\n");
  EXPECT_EQ(limit("0::/a/b\n"), 1u);
}

// As container engines nest them: the quota is neither on the innermost group nor on the outermost.
TEST_F(CgroupLimit, QuotaInTheMiddleOfADeepPath) {
  const char* path = "/kubepods.slice/pod7.slice/cri-1.scope/app";
  write("fs/kubepods.slice/cpu.max", "max 100000\n");
  write("fs/kubepods.slice/pod7.slice/cpu.max", "300000 100000\n");
  write("fs/kubepods.slice/pod7.slice/cri-1.scope/cpu.max", "800000 100000\n");
  write(std::string("fs") + path + "/cpu.max", "max 100000\n");
  EXPECT_EQ(limit(std::string("0::") + path + "\n"), 3u);
}

TEST_F(CgroupLimit, NoLimitAndRubbish) {
  EXPECT_EQ(limit("0::/a\n"), 0u);
  for (const char* text : {"max 100000", "0 100000", "-1 100000", "100000 0", "rubbish", "", "100000"}) {
    write("fs/a/cpu.max", text);
    EXPECT_EQ(limit("0::/a\n"), 0u) << text;
  }
  EXPECT_EQ(limit("not a cgroup line\n"), 0u);
  EXPECT_EQ(cgroup_cpu_limit((root_ / "absent").string(), root_.string()), 0u);
}

TEST_F(CgroupLimit, VersionOne) {
  write("fs/cpu,cpuacct/docker/x/cpu.cfs_quota_us", "150000");
  write("fs/cpu,cpuacct/docker/x/cpu.cfs_period_us", "100000");
  EXPECT_EQ(limit("12:memory:/m\n4:cpu,cpuacct:/docker/x\n"), 2u);
  write("fs/cpu,cpuacct/docker/cpu.cfs_quota_us", "100000");
  write("fs/cpu,cpuacct/docker/cpu.cfs_period_us", "100000");
  EXPECT_EQ(limit("4:cpu,cpuacct:/docker/x\n"), 1u);
  write("fs/cpu,cpuacct/docker/x/cpu.cfs_quota_us", "-1");
  write("fs/cpu,cpuacct/docker/cpu.cfs_quota_us", "-1");
  EXPECT_EQ(limit("4:cpu,cpuacct:/docker/x\n"), 0u);
}

TEST(DefaultThreadCount, FollowsTheAffinityMask) {
  cpu_set_t before, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  CPU_ZERO(&one);
  for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++cpu) {
    if (CPU_ISSET(cpu, &before)) CPU_SET(cpu, &one);
  }
  EXPECT_LE(default_thread_count(), static_cast<std::size_t>(CPU_COUNT(&before)));
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  const std::size_t restricted = default_thread_count();
  ASSERT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
  EXPECT_EQ(restricted, 1u);
}

}  // namespace
}  // namespace swiglu
