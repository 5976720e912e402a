// SPDX-License-Identifier: Apache-2.0
// Reads and writes files through the system's own calls, for their reasons.
#include "rematch/io/file.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>
#include <variant>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace rematch {
namespace {

// `reason` is an errno.
Error failed(const std::string& path, std::string_view what, int reason) {
  std::string text = std::generic_category().message(reason);
  if (!text.empty()) {
    text[0] =
        static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  }
  return {ErrorCode::kIo, fmt::format("{}: {}: {}", path, what, text)};
}

// Closes a file descriptor when it goes out of scope.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept
      : number_(std::exchange(other.number_, -1)) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }

  bool is_open() const { return number_ >= 0; }
  int number() const { return number_; }
  // Some file systems report a failed write only here. 0 or an errno.
  int close() { return ::close(std::exchange(number_, -1)) == 0 ? 0 : errno; }

 private:
  int number_;
};

Result<std::string> read_all(int descriptor, const std::string& path) {
  constexpr std::size_t kChunk = std::size_t{1} << 20;
  std::string text;
  struct stat info {};
  if (::fstat(descriptor, &info) == 0 && S_ISREG(info.st_mode)) {
    text.reserve(static_cast<std::size_t>(info.st_size) + 1);
  }
  std::size_t size = 0;
  while (true) {
    text.resize(std::max(text.capacity(), size + kChunk));
    const auto got = ::read(descriptor, text.data() + size, text.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failed(path, "cannot be read", errno);
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  text.resize(size);
  return text;
}

// 0 or an errno.
int write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const auto put = ::write(descriptor, text.data(), text.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(put));
  }
  return 0;
}

Status write_stdout(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() ||
      std::fflush(stdout) != 0) {
    return failed("standard output", "cannot be written", errno);
  }
  return ok_status();
}

// Devices and pipes, which a rename would replace by a file.
Status write_directly(const std::string& path, std::string_view text) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  int reason = file.is_open() ? write_all(file.number(), text) : errno;
  if (reason == 0) reason = file.close();
  if (reason != 0) return failed(path, "cannot be written", reason);
  return ok_status();
}

struct Temporary {
  std::string path;
  Descriptor file;
};

// A new file beside `target`, or the errno that prevents it.
std::variant<Temporary, int> create_beside(const std::string& target) {
  constexpr int kTries = 1000;
  const std::filesystem::path folder =
      std::filesystem::path(target).parent_path();
  for (int i = 0; i < kTries; ++i) {
    const std::string path =
        (folder / fmt::format(".rematch-{}-{}.tmp", ::getpid(), i)).string();
    Descriptor file(
        ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (file.is_open()) return Temporary{path, std::move(file)};
    if (errno != EEXIST) return errno;
  }
  return EEXIST;
}

// 0 or an errno.
int write_then_rename(Temporary& temporary, const std::string& target,
                      std::optional<mode_t> mode, std::string_view text) {
  const int file = temporary.file.number();
  if (const int reason = write_all(file, text)) return reason;
  if (mode && ::fchmod(file, *mode) != 0) return errno;
  if (::fsync(file) != 0) return errno;
  if (const int reason = temporary.file.close()) return reason;
  if (::rename(temporary.path.c_str(), target.c_str()) != 0) return errno;
  return 0;
}

}  // namespace

Result<std::string> read_text(const std::string& path) {
  if (path == "-") return read_all(STDIN_FILENO, "standard input");
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) return failed(path, "cannot be read", errno);
  return read_all(file.number(), path);
}

Status write_text(const std::string& path, std::string_view text) {
  if (path == "-") return write_stdout(text);
  struct stat info {};
  const bool exists = ::stat(path.c_str(), &info) == 0;
  if (exists && S_ISDIR(info.st_mode)) {
    return failed(path, "cannot be written", EISDIR);
  }
  if (exists && !S_ISREG(info.st_mode)) return write_directly(path, text);
  // Behind a symbolic link the file is replaced, not the link.
  std::error_code no_file;
  const auto real = std::filesystem::canonical(path, no_file);
  const std::string target = no_file ? path : real.string();
  auto created = create_beside(target);
  if (const int* reason = std::get_if<int>(&created)) {
    return failed(path, "cannot be written", *reason);
  }
  auto& temporary = std::get<Temporary>(created);
  const std::optional<mode_t> mode =
      exists ? std::optional(info.st_mode & mode_t{07777}) : std::nullopt;
  if (const int reason = write_then_rename(temporary, target, mode, text)) {
    ::unlink(temporary.path.c_str());
    return failed(path, "cannot be written", reason);
  }
  return ok_status();
}

Status check_writable(const std::string& path) {
  if (path == "-") return ok_status();
  const auto no = [&](int reason) {
    return failed(path, "cannot be written", reason);
  };
  struct stat info {};
  const bool exists = ::stat(path.c_str(), &info) == 0;
  if (!exists && errno != ENOENT) return no(errno);
  if (exists && S_ISDIR(info.st_mode)) return no(EISDIR);
  if (exists && !S_ISREG(info.st_mode)) {
    if (::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) != 0) {
      return no(errno);
    }
    return ok_status();
  }
  // A file is made beside it and renamed.
  std::error_code no_file;
  const auto real = std::filesystem::canonical(path, no_file);
  std::filesystem::path folder =
      (no_file ? std::filesystem::path(path) : real).parent_path();
  if (folder.empty()) folder = ".";
  const int wanted = W_OK | X_OK;
  if (::faccessat(AT_FDCWD, folder.c_str(), wanted, AT_EACCESS) != 0) {
    return no(errno);
  }
  return ok_status();
}

bool has_ending(std::string_view path, std::string_view ending) {
  const auto lower = [](char c) {
    return std::tolower(static_cast<unsigned char>(c));
  };
  return path.size() >= ending.size() &&
         std::equal(ending.begin(), ending.end(),
                    path.end() - static_cast<std::ptrdiff_t>(ending.size()),
                    [&](char a, char b) { return lower(a) == lower(b); });
}

Error in_file(const std::string& path, const Error& error) {
  const std::string where = path == "-" ? "standard input" : path;
  return {error.code, where + ": " + error.message};
}

}  // namespace rematch
