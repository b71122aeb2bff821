#include <algorithm>

#include "target.h"

namespace serval::fuzz {

std::span<const Target> all_targets() {
  static const std::vector<Target> targets = [] {
    std::vector<Target> all = reader_targets();
    for (Target& target :
         std::vector{version_order_target(), certificate_target(), predicate_target(), sql_target(),
                     stream_target(), model_target(), folder_target(), answer_target(), profile_target()})
      all.push_back(std::move(target));
    return all;
  }();
  return targets;
}

const Target* find_target(std::string_view name) {
  const auto found = std::ranges::find(all_targets(), name, &Target::name);
  return found == all_targets().end() ? nullptr : &*found;
}

}  // namespace serval::fuzz
