#pragma once
// What --profile names: a row of the table of profiles, or a file.
//
//   --profile postgres:serializable     --profile my.profile     --profile ./mydb

#include <string>

#include "serval/online/profile.h"

namespace serval::cli {

// A word is a file if it contains "/", ends in ".profile", or has no ":" and exists. Throws ProfileError
// for a file that is not a profile, UsageError for an unknown name. Empty: nothing is chosen.
online::ProfileChoice read_profile_choice(const std::string& word);

}  // namespace serval::cli
