#pragma once
// The keys of a profile file, each with its words: what the reader accepts, the writer writes and messages
// list.
//
//   for (const ProfileField& field : profile_fields()) field.set(profile, field.get(profile));

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "serval/online/profile.h"

namespace serval::online {

struct ProfileField {
  std::string_view key;
  std::string_view meaning;
  std::vector<std::string_view> words;  // The accepted values; empty for names and levels.
  std::string (*get)(const Profile& profile);
  bool (*set)(Profile& profile, std::string_view word);  // False if it is not accepted.
  bool required = false;
};

std::span<const ProfileField> profile_fields();

}  // namespace serval::online
