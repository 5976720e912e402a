// SPDX-License-Identifier: Apache-2.0
// Runs a fuzz target without a fuzzer: every file of a corpus in sorted order,
// then a fixed number of mutations of them. The same inputs on every run.
//
// Usage: fuzz_smoke_<name> CORPUS_FOLDER MUTATIONS
//
// On a crash the input is left in the working folder as crash-<program>.
#include <algorithm>
#include <array>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size);

// Sanitizers end the process themselves and call this hook first; the symbol
// is null in a build without them.
extern "C" __attribute__((weak)) void __sanitizer_set_death_callback(
    void (*callback)());

namespace {

using Input = std::string;

constexpr std::size_t kMaxBytes = 1 << 16;
constexpr std::uint64_t kSeed = 20;

// Numbers that programs often get wrong.
constexpr std::array<std::string_view, 14> kNumbers = {"0",
                                                       "-0",
                                                       "1",
                                                       "-1",
                                                       "0.5",
                                                       "255",
                                                       "1e999",
                                                       "-1e308",  //
                                                       "4294967296",
                                                       "9007199254740993",
                                                       "9223372036854775807",
                                                       "9223372036854775808",
                                                       "18446744073709551615",
                                                       "18446744073709551616"};

const Input* current_input = nullptr;  // What the target is reading now.
std::string crash_path;                // Where it goes if that ends badly.

// Called from a dying process: system calls only.
void save_current_input() {
  if (current_input == nullptr) return;
  const int file = open(crash_path.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0644);
  if (file < 0) return;
  const auto written =
      write(file, current_input->data(), current_input->size());
  static_cast<void>(written);
  close(file);
  current_input = nullptr;
}

void save_and_die(int signal_number) {
  save_current_input();
  std::signal(signal_number, SIG_DFL);
  std::raise(signal_number);
}

void save_input_on_crash(const std::filesystem::path& program) {
  crash_path = "crash-" + program.filename().string();
  if (__sanitizer_set_death_callback != nullptr) {
    __sanitizer_set_death_callback(save_current_input);
    std::signal(SIGABRT, save_and_die);
    return;
  }
  for (int number : {SIGABRT, SIGSEGV, SIGFPE, SIGILL, SIGBUS}) {
    std::signal(number, save_and_die);
  }
}

std::vector<Input> read_corpus(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.is_regular_file()) paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<Input> corpus;
  for (const auto& path : paths) {
    std::ifstream file(path, std::ios::binary);
    corpus.emplace_back(std::istreambuf_iterator<char>(file),
                        std::istreambuf_iterator<char>());
  }
  return corpus;
}

// Changes inputs at random; the sequence of changes depends on the seed alone.
class Mutator {
 public:
  explicit Mutator(const std::vector<Input>& corpus) : corpus_(corpus) {}

  Input next() {
    Input input = corpus_[below(corpus_.size())];
    const std::size_t changes = 1 + below(4);
    for (std::size_t i = 0; i < changes; ++i) change(input);
    if (input.size() > kMaxBytes) input.resize(kMaxBytes);
    return input;
  }

 private:
  using Change = void (Mutator::*)(Input&);

  // Not std::uniform_int_distribution: its results differ between libraries.
  std::size_t below(std::size_t end) {
    return static_cast<std::size_t>(random_() % std::max<std::size_t>(end, 1));
  }

  std::size_t chunk_size(const Input& input, std::size_t at) {
    return std::min(input.size() - at, 1 + below(32));
  }

  void change(Input& input) {
    static constexpr std::array<Change, 7> kChanges = {
        &Mutator::flip_bit,    &Mutator::set_byte,        &Mutator::insert_byte,
        &Mutator::erase_chunk, &Mutator::duplicate_chunk, &Mutator::splice,
        &Mutator::tweak_number};
    (this->*kChanges[below(kChanges.size())])(input);
  }

  void flip_bit(Input& input) {
    if (input.empty()) return;
    char& byte = input[below(input.size())];
    byte = static_cast<char>(byte ^ (1 << below(8)));
  }

  void set_byte(Input& input) {
    if (input.empty()) return;
    input[below(input.size())] = static_cast<char>(below(256));
  }

  void insert_byte(Input& input) {
    const std::size_t at = below(input.size() + 1);
    input.insert(at, 1, static_cast<char>(below(256)));
  }

  void erase_chunk(Input& input) {
    const std::size_t at = below(input.size());
    input.erase(at, chunk_size(input, at));
  }

  void duplicate_chunk(Input& input) {
    const std::size_t from = below(input.size());
    const Input chunk = input.substr(from, chunk_size(input, from));
    input.insert(below(input.size() + 1), chunk);
  }

  // The head of this input and the tail of another one.
  void splice(Input& input) {
    const Input& other = corpus_[below(corpus_.size())];
    input.resize(below(input.size() + 1));
    input.append(other, below(other.size() + 1), Input::npos);
  }

  // Replaces a run of digits by one of kNumbers.
  void tweak_number(Input& input) {
    const Input digits = "0123456789";
    const std::size_t from =
        input.find_first_of(digits, below(input.size() + 1));
    if (from == Input::npos) return;
    const std::size_t end = input.find_first_not_of(digits, from);
    input.replace(from, end == Input::npos ? Input::npos : end - from,
                  kNumbers[below(kNumbers.size())]);
  }

  const std::vector<Input>& corpus_;
  std::mt19937_64 random_{kSeed};
};

void run(const Input& input) {
  // A copy of the exact size, so that reading past it is seen.
  const std::vector<std::uint8_t> bytes(input.begin(), input.end());
  current_input = &input;
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
  current_input = nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: " << argv[0] << " CORPUS_FOLDER MUTATIONS\n";
    return 2;
  }
  if (!std::filesystem::is_directory(argv[1])) {
    std::cerr << argv[1] << ": there is no such corpus folder\n";
    return 2;
  }
  const std::vector<Input> corpus = read_corpus(argv[1]);
  if (corpus.empty()) {
    std::cerr << argv[1] << ": the corpus folder has no files\n";
    return 2;
  }
  const std::size_t mutations = std::strtoul(argv[2], nullptr, 10);
  save_input_on_crash(argv[0]);
  for (const Input& input : corpus) run(input);
  Mutator mutator(corpus);
  for (std::size_t i = 0; i < mutations; ++i) run(mutator.next());
  std::cout << "ran " << corpus.size() + mutations << " inputs\n";
}
