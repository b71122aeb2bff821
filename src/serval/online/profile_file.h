#pragma once
// Profiles as text files, one `key = value` per line (docs/mirror.md, "Profiles of your own"):
//
//   database = mydb            # Comments begin with #.
//   isolation = serializable
//   level = serializable
//   write-lock = exclusive
//
//   const Profile profile = read_profile(text, "my.profile");
//   read_profile(write_profile(profile), "again") == profile
//
// A key that is left out promises nothing: `database`, `isolation` and `level` are required, everything
// else has the weakest value.

#include <map>
#include <string>
#include <string_view>

#include "serval/base/error.h"
#include "serval/online/profile.h"

namespace serval::online {

// A file that is not a profile, with line and column: unknown keys and values, keys given twice, missing
// keys.
class ProfileError : public InputError {
 public:
  using InputError::InputError;
};

// Throws ProfileError.
Profile read_profile(std::string_view text, const std::string& file);

// Remarks by key, written as comments above its line; the remark of "" is written at the top.
using ProfileRemarks = std::map<std::string, std::string, std::less<>>;
std::string write_profile(const Profile& profile, const ProfileRemarks& remarks = {});

// The weakest profile: no promise but that dirty writes do not form cycles.
Profile silent_profile_of(std::string_view database, std::string_view isolation, Level level);

// "ssi", as in a file: certifier = ssi.
std::string_view name_of(Certifier certifier);
std::string_view name_of(CycleRule cycles);
std::string_view name_of(Basis basis);

}  // namespace serval::online
