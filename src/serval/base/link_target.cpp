#include "serval/base/link_target.h"

#include <filesystem>
#include <system_error>

namespace serval {

std::string link_target(const std::string& path) {
  constexpr int kMaxLinks = 40;  // The limit in Linux.
  std::filesystem::path target = path;
  for (int i = 0; i < kMaxLinks; ++i) {
    std::error_code none_left;
    const std::filesystem::path next = std::filesystem::read_symlink(target, none_left);
    if (none_left) break;
    target = next.is_absolute() ? next : target.parent_path() / next;
  }
  return target.string();
}

}  // namespace serval
