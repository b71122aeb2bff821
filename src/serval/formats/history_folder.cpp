#include "serval/formats/history_folder.h"

#include <array>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

#include "serval/base/byte_sink.h"
#include "serval/base/error.h"
#include "serval/base/partial_output.h"
#include "serval/formats/cut_off_reads.h"

namespace serval {
namespace {

namespace fs = std::filesystem;

// Names of the history in folders of other tools, the most detailed first.
constexpr std::array<const char*, 6> kHistoryFiles{"history.bincode", "history.edn",  "history.srv",
                                                   "history.jsonl",   "history.json", "history.txt"};

bool reads_as(const FormatInfo& row, const std::string& folder, const ReadOptions& options) {
  return row.folder != nullptr &&
         (options.format ? *options.format == row.format : row.folder->looks_like(folder));
}

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

// The folder made by King Cobra has its logs one level down.
std::string inner_folder(const std::string& folder) {
  const fs::path inner = fs::path(folder) / "history";
  return is_folder(inner.string()) ? inner.string() : std::string();
}

[[noreturn]] void reject(const std::string& folder) {
  throw InputError(
      {folder}, "this folder contains no history in a known format", {},
      "give a file in it; supported folders have Cobra's *.log, Leopard's loader-*.json, or files "
      "called history.*");
}

void require_room(const fs::path& folder) {
  std::error_code ignored;
  if (!fs::exists(folder, ignored)) return;
  if (fs::is_directory(folder, ignored) && fs::is_empty(folder, ignored)) return;
  throw OutputError(
      fmt::format("{} already exists and is not an empty folder; folders are never overwritten: remove it, "
                  "or choose another",
                  folder.string()));
}

// A unique name, so that leftovers of a killed process do no harm.
fs::path new_folder_beside(const fs::path& target) {
  constexpr int kTries = 100;
  const std::string name = target.string() + ".partial-" + std::to_string(::getpid());
  std::error_code error;
  for (int i = 0; i < kTries && !error; ++i) {
    fs::path path = i == 0 ? name : name + "-" + std::to_string(i);
    if (fs::create_directory(path, error)) return path;
  }
  throw OutputError(
      fmt::format("cannot create the folder {}: {}", name, error ? error.message() : "it already exists"));
}

// Removes the folder unless it is kept.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(const fs::path& target) : path_(new_folder_beside(target)) {
    remember_partial(path_.c_str());
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
    forget_partial(path_.c_str());
  }
  const fs::path& path() const noexcept { return path_; }
  void move_to(const fs::path& target) const {
    std::error_code error;
    fs::rename(path_, target, error);
    if (error) throw OutputError(fmt::format("cannot write {}: {}", target.string(), error.message()));
  }

 private:
  fs::path path_;
};

fs::path without_slash(const std::string& path) {
  const fs::path given(path);
  return given.has_filename() ? given : given.parent_path();
}

}  // namespace

bool is_folder(const std::string& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

History read_history_folder(const std::string& folder, const ReadOptions& options) {
  for (const char* name : kHistoryFiles)
    if (const fs::path file = fs::path(folder) / name; is_file(file)) {
      ByteStream stream = ByteStream::open(file.string(), options.budget);
      return read_history(stream, options);
    }
  for (const FormatInfo& row : all_formats()) {
    if (!reads_as(row, folder, options)) continue;
    if (options.on_format) options.on_format(row);
    History history = row.folder->read(folder, options);
    return options.accept_truncated ? without_cut_off_reads(std::move(history), options.on_notice)
                                    : std::move(history);
  }
  const std::string inner = inner_folder(folder);
  if (inner.empty()) reject(folder);
  return read_history_folder(inner, options);
}

void write_history_folder(const History& history, const FolderVerbs& verbs, const std::string& folder,
                          const Notice& lossy, Budget& budget) {
  const fs::path target = without_slash(folder);
  require_room(target);
  const TemporaryFolder temporary(target);
  std::size_t size = 0;
  verbs.write(
      history,
      [&](const std::string& name, std::string_view bytes) {
        budget.look("write");
        size += bytes.size();
        ByteSink sink = ByteSink::create((temporary.path() / name).string());
        sink.write(bytes);
        sink.finish();
      },
      lossy);
  if (size == 0) throw OutputError(fmt::format("{} would be an empty history", target.string()));
  temporary.move_to(target);
}

std::string file_to_write(const std::string& path, std::string_view name) {
  if (!path.ends_with('/') && !is_folder(path)) return path;
  std::error_code error;
  fs::create_directories(path, error);
  if (error) throw OutputError(fmt::format("cannot create the folder {}: {}", path, error.message()));
  return (fs::path(path) / name).string();
}

}  // namespace serval
