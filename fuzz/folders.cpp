// Folders of files: Cobra's logs with a version order, and Leopard's clients with the initial rows.

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>

#include <unistd.h>

#include "examine.h"
#include "serval/base/error.h"
#include "serval/base/folder.h"
#include "serval/formats/format.h"
#include "target.h"

namespace serval::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kCut = "\n--8<--\n";  // Separates files; the first line of each is its name.
constexpr std::array<std::string_view, 8> kNames = {"T1.log",
                                                    "T2.log",
                                                    "other.log",
                                                    "order.vo",
                                                    "trace/loader-0.0.json",
                                                    "trace/loader-0.1.json.writing",
                                                    "trace/loader-1.0.json",
                                                    "init_data/t.csv"};

class Folder {
 public:
  Folder() : path_(temporary_folder().value_or(".") / ("serval-fuzz-" + std::to_string(::getpid()))) {
    clear();
    for (const char* inner : {"trace", "init_data"}) fs::create_directories(path_ / inner);
  }
  ~Folder() { clear(); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  void add(std::string_view name, std::string_view bytes) const {
    std::ofstream(path_ / name, std::ios::binary) << bytes;
  }
  std::string path() const { return path_.string(); }

 private:
  void clear() const {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  fs::path path_;
};

void add_files(const Folder& folder, std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t end = std::min(bytes.find(kCut), bytes.size());
    const std::string_view file = bytes.substr(0, end);
    bytes.remove_prefix(std::min(end + kCut.size(), bytes.size()));
    const std::size_t line = std::min(file.find('\n'), file.size());
    if (std::ranges::find(kNames, file.substr(0, line)) != kNames.end())
      folder.add(file.substr(0, line), file.substr(std::min(line + 1, file.size())));
  }
}

std::optional<History> read(const Folder& folder, const ReadOptions& options) {
  try {
    return read_history(folder.path(), options);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

}  // namespace

Target folder_target() {
  return {"folder", "a folder of Cobra's or Leopard's files", [](std::string_view bytes) {
            const Folder folder;
            add_files(folder, bytes);
            const std::optional<History> history = read(folder, {.on_notice = [](const auto&) {}});
            read(folder, {.accept_truncated = true});
            if (history) examine(*history, bytes.size());
          }};
}

}  // namespace serval::fuzz
