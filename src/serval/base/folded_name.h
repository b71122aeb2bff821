#pragma once
// Names that people type, compared without regard to case or separators.
//
//   folded_name("Snapshot_Isolation") == folded_name("snapshot isolation")      // "snapshotisolation"

#include <string>
#include <string_view>

namespace serval {

// Lower case (ASCII only), without "-", "_" and " ".
inline std::string folded_name(std::string_view name) {
  std::string folded;
  for (const char c : name)
    if (c != '-' && c != '_' && c != ' ')
      folded += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return folded;
}

}  // namespace serval
