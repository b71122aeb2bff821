#include "serval/evidence/dependency.h"

#include <array>

namespace serval {

std::string_view name_of(EdgeKind kind) {
  static constexpr std::array<std::string_view, 6> kNames{"ww", "wr", "rw", "so", "rt", "co"};
  return kNames[static_cast<std::size_t>(kind)];
}

}  // namespace serval
