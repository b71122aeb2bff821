#pragma once
// Chooses a profile by name, by level, or by the facts of a recording.
//
//   choose_profile({.name = "postgres:serializable"}, {});
//   choose_profile({}, history.facts());

#include <map>
#include <optional>
#include <string>

#include "serval/levels/level.h"
#include "serval/online/profile.h"

namespace serval::online {

struct ProfileChoice {
  std::string name = {};            // "postgres:serializable"; empty: not chosen by name.
  std::optional<Level> level = {};  // Instead of a name: what this level requires of any database.

  bool empty() const noexcept { return name.empty() && !level; }
};

// The name has priority, then the level, then the facts. Throws UsageError if nothing fits, with the
// nearest names or with the levels that have a profile.
const Profile& choose_profile(const ProfileChoice& choice, const std::map<std::string, std::string>& facts);

}  // namespace serval::online
