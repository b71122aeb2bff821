#include "serval/base/folder.h"

#include <algorithm>

#include "serval/base/error.h"

namespace serval {
namespace {

namespace fs = std::filesystem;

bool may_be_file(const fs::directory_entry& entry) {
  std::error_code unknown;
  const fs::file_status status = entry.status(unknown);
  return unknown || !fs::exists(status) || fs::is_regular_file(status);
}

}  // namespace

std::vector<fs::path> files_in(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> found;
  for (fs::directory_iterator at(folder, error); !error && at != fs::directory_iterator();
       at.increment(error))
    if (may_be_file(*at)) found.push_back(at->path());
  if (error) throw InputError({folder.string()}, "cannot read this folder: " + error.message());
  std::ranges::sort(found);
  return found;
}

std::optional<fs::path> temporary_folder() {
  std::error_code error;
  fs::path folder = fs::temp_directory_path(error);
  return error ? std::nullopt : std::optional(std::move(folder));
}

}  // namespace serval
