#include "serval/online/choose_profile.h"

#include <fmt/format.h>

#include "serval/base/error.h"

namespace serval::online {
namespace {

const Profile& profile_named(const std::string& name) {
  if (const Profile* profile = find_profile(name)) return *profile;
  std::string near;
  for (const std::string& suggestion : suggest_profiles(name))
    near += fmt::format("{}{}", near.empty() ? "did you mean " : " or ", suggestion);
  throw UsageError(fmt::format("there is no profile \"{}\"", name),
                   near.empty()
                       ? "DATABASE:ISOLATION, for example postgres:serializable; docs/mirror.md lists them"
                       : near + "?");
}

const Profile& profile_of_level(Level level) {
  if (const Profile* profile = find_profile(fmt::format("generic:{}", name_of(level)))) return *profile;
  std::string levels;
  for (const Profile& profile : all_profiles())
    if (profile.database == "generic")
      levels += (levels.empty() ? "" : ", ") + std::string(name_of(profile.level));
  throw UsageError(fmt::format("the mirror has no profile for the level {}", name_of(level)),
                   "these levels have one: " + levels);
}

}  // namespace

const Profile& choose_profile(const ProfileChoice& choice, const std::map<std::string, std::string>& facts) {
  if (!choice.name.empty()) return profile_named(choice.name);
  if (choice.level) return profile_of_level(*choice.level);
  if (const Profile* profile = profile_of_run(facts)) return *profile;
  throw UsageError("which database is this, and at which isolation?",
                   "--profile postgres:serializable, or --level serializable for what any database promises");
}

}  // namespace serval::online
