// SPDX-License-Identifier: Apache-2.0
// Files are read and written whole, and failures say why.
#include "rematch/io/file.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <string>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace rematch {
namespace {

namespace fs = std::filesystem;

// A folder of its own for each test.
class FileTest : public testing::Test {
 protected:
  FileTest() {
    std::string name = (fs::temp_directory_path() / "rematch-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~FileTest() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const {
    return (folder_ / name).string();
  }
  std::size_t num_files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_), {}));
  }

  fs::path folder_;
};

// Makes `descriptor` refer to a file while it lives.
class Redirected {
 public:
  Redirected(int descriptor, const std::string& path)
      : descriptor_(descriptor), saved_(::dup(descriptor)) {
    const int file = ::open(path.c_str(), O_RDWR | O_CREAT, 0600);
    ::dup2(file, descriptor_);
    ::close(file);
  }
  Redirected(const Redirected&) = delete;
  Redirected& operator=(const Redirected&) = delete;
  ~Redirected() {
    ::dup2(saved_, descriptor_);
    ::close(saved_);
  }

 private:
  int descriptor_;
  int saved_;
};

// Gives up root's right to do everything while it lives.
class Unprivileged {
 public:
  Unprivileged() {
    constexpr uid_t kNobody = 65534;
    if (was_root_ && ::seteuid(kNobody) != 0) std::perror("seteuid");
  }
  Unprivileged(const Unprivileged&) = delete;
  Unprivileged& operator=(const Unprivileged&) = delete;
  ~Unprivileged() {
    if (was_root_ && ::seteuid(0) != 0) std::abort();
  }
  bool is_root() const { return ::geteuid() == 0; }

 private:
  bool was_root_ = ::geteuid() == 0;
};

TEST_F(FileTest, ReadsWhatWasWritten) {
  const std::string text("a\0b\r\n\xff", 6);
  EXPECT_TRUE(write_text(path("a"), text));
  EXPECT_EQ(*read_text(path("a")), text);
}

TEST_F(FileTest, ReadsEmptyFile) {
  EXPECT_TRUE(write_text(path("a"), ""));
  EXPECT_EQ(*read_text(path("a")), "");
}

TEST_F(FileTest, ReadsLargeFile) {
  const std::string text(5000000, 'x');
  EXPECT_TRUE(write_text(path("a"), text));
  EXPECT_EQ(*read_text(path("a")), text);
}

TEST_F(FileTest, ReadsStandardInput) {
  EXPECT_TRUE(write_text(path("a"), "text"));
  const Redirected input(STDIN_FILENO, path("a"));
  EXPECT_EQ(*read_text("-"), "text");
}

TEST_F(FileTest, WritesStandardOutput) {
  {
    const Redirected output(STDOUT_FILENO, path("a"));
    EXPECT_TRUE(write_text("-", "text"));
  }
  EXPECT_EQ(*read_text(path("a")), "text");
}

TEST_F(FileTest, SaysThatStandardOutputIsFull) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "there is no /dev/full";
  const Redirected output(STDOUT_FILENO, "/dev/full");
  const auto done = write_text("-", "text");
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().message,
            "standard output: cannot be written: no space left on device");
}

TEST_F(FileTest, SaysThatAFileIsMissing) {
  const auto text = read_text(path("a"));
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error(),
            (Error{ErrorCode::kIo,
                   path("a") + ": cannot be read: no such file or directory"}));
}

TEST_F(FileTest, SaysThatAFolderIsNoFile) {
  EXPECT_EQ(read_text(path("")).error().message,
            path("") + ": cannot be read: is a directory");
  EXPECT_EQ(write_text(path(""), "").error().message,
            path("") + ": cannot be written: is a directory");
}

TEST_F(FileTest, SaysThatAFileIsUnreadable) {
  EXPECT_TRUE(write_text(path("a"), "text"));
  fs::permissions(path("a"), fs::perms::none);
  const Unprivileged user;
  if (user.is_root()) GTEST_SKIP() << "root may read everything";
  EXPECT_EQ(read_text(path("a")).error().message,
            path("a") + ": cannot be read: permission denied");
}

TEST_F(FileTest, SaysThatTheFolderIsMissing) {
  EXPECT_EQ(write_text(path("no/a"), "").error().message,
            path("no/a") + ": cannot be written: no such file or directory");
}

TEST_F(FileTest, KeepsTheOldFileOnFailure) {
  EXPECT_TRUE(write_text(path("a"), "old"));
  fs::permissions(folder_, fs::perms::others_exec | fs::perms::owner_exec);
  {
    const Unprivileged user;
    if (user.is_root()) GTEST_SKIP() << "root may write everywhere";
    EXPECT_EQ(write_text(path("a"), "new").error().message,
              path("a") + ": cannot be written: permission denied");
  }
  fs::permissions(folder_, fs::perms::owner_all);
  EXPECT_EQ(*read_text(path("a")), "old");
}

TEST_F(FileTest, SeesBeforeWritingWhatCannotBeWritten) {
  EXPECT_TRUE(write_text(path("a"), "old"));
  EXPECT_TRUE(check_writable(path("a")));
  EXPECT_TRUE(check_writable(path("b")));
  EXPECT_TRUE(check_writable("-"));
  EXPECT_TRUE(check_writable("/dev/null"));
  for (const char* name : {"", "no/a", "a/b"}) {
    EXPECT_EQ(check_writable(path(name)).error().message,
              write_text(path(name), "").error().message);
  }
  fs::permissions(folder_, fs::perms::others_exec | fs::perms::owner_exec);
  {
    const Unprivileged user;
    if (user.is_root()) GTEST_SKIP() << "root may write everywhere";
    EXPECT_EQ(check_writable(path("b")).error().message,
              path("b") + ": cannot be written: permission denied");
  }
  fs::permissions(folder_, fs::perms::owner_all);
}

TEST(HasEnding, IgnoresCase) {
  EXPECT_TRUE(has_ending("a.HTML", ".html"));
  EXPECT_TRUE(has_ending(".csv", ".csv"));
  EXPECT_FALSE(has_ending("csv", ".csv"));
  EXPECT_FALSE(has_ending("a.csv.html", ".csv"));
}

TEST_F(FileTest, ReplacesTheOldFile) {
  EXPECT_TRUE(write_text(path("a"), "a longer text"));
  EXPECT_TRUE(write_text(path("a"), "new"));
  EXPECT_EQ(*read_text(path("a")), "new");
}

TEST_F(FileTest, LeavesNothingElseBehind) {
  EXPECT_TRUE(write_text(path("a"), "text"));
  EXPECT_EQ(num_files(), 1U);
}

TEST_F(FileTest, KeepsTheModeOfTheOldFile) {
  EXPECT_TRUE(write_text(path("a"), "old"));
  fs::permissions(path("a"), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_TRUE(write_text(path("a"), "new"));
  EXPECT_EQ(fs::status(path("a")).permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(FileTest, WritesThroughSymbolicLink) {
  EXPECT_TRUE(write_text(path("a"), "old"));
  fs::create_symlink("a", path("link"));
  EXPECT_TRUE(write_text(path("link"), "new"));
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(*read_text(path("a")), "new");
}

TEST_F(FileTest, DoesNotReplaceADevice) {
  EXPECT_TRUE(write_text("/dev/null", "text"));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(FileTest, SaysThatADeviceIsFull) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "there is no /dev/full";
  EXPECT_EQ(write_text("/dev/full", "text").error().message,
            "/dev/full: cannot be written: no space left on device");
}

TEST_F(FileTest, RemovesTheTemporaryWhenTheDiskIsFull) {
  EXPECT_TRUE(write_text(path("a"), "old"));
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{2, 2};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const auto done = write_text(path("a"), "longer");
    ::_exit(!done && done.error().message ==
                         path("a") + ": cannot be written: file too large"
                ? 0
                : 1);
  }
  int status = 1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(*read_text(path("a")), "old");
  EXPECT_EQ(num_files(), 1U);
}

}  // namespace
}  // namespace rematch
