#include "serval/online/profile.h"

#include <array>
#include <functional>

#include <fmt/format.h>

#include "serval/base/error.h"
#include "serval/base/folded_name.h"
#include "serval/base/nearest_names.h"

namespace serval::online {
namespace {

const Profile* find_row(std::string_view database, std::string_view isolation) {
  const std::string wanted = folded_name(database), level = folded_name(isolation);
  for (const Profile& row : all_profiles())
    if (folded_name(row.database) == wanted && folded_name(row.isolation) == level) return &row;
  return nullptr;
}

bool is_built_in(const Profile& profile) {
  const std::span<const Profile> rows = all_profiles();
  constexpr std::less<> kBefore;
  return !kBefore(&profile, rows.data()) && kBefore(&profile, rows.data() + rows.size());
}

std::string fact(const std::map<std::string, std::string>& facts, const std::string& name) {
  const auto found = facts.find(name);
  return found == facts.end() ? std::string() : found->second;
}

const Profile& profile_named(const std::string& name) {
  if (const Profile* profile = find_profile(name)) return *profile;
  std::string near;
  for (const std::string& suggestion : suggest_profiles(name))
    near += fmt::format("{}{}", near.empty() ? "did you mean " : " or ", suggestion);
  throw UsageError(fmt::format("there is no profile \"{}\"", name),
                   near.empty()
                       ? "DATABASE:ISOLATION, for example postgres:serializable, or a file; serval profiles "
                         "lists the names"
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

std::string Profile::name() const { return database + ":" + isolation; }

const Profile* find_profile(std::string_view name) {
  const std::size_t colon = name.find(':');
  if (colon == std::string_view::npos) return nullptr;
  const std::string_view database = name.substr(0, colon), isolation = name.substr(colon + 1);
  if (const Profile* row = find_row(database, isolation)) return row;
  const std::optional<Level> level =
      folded_name(database) == "generic" ? find_level(isolation) : std::nullopt;
  return level ? find_row("generic", name_of(*level)) : nullptr;
}

const Profile* sibling(const Profile& profile, StatedLevel level) {
  constexpr std::array<std::string_view, 5> kIsolations{"", "read-uncommitted", "read-committed",
                                                        "repeatable-read", "serializable"};
  if (level == StatedLevel::Unstated) return &profile;
  const std::string_view wanted = kIsolations[static_cast<std::size_t>(level)];
  if (folded_name(profile.isolation) == folded_name(wanted)) return &profile;
  if (!is_built_in(profile)) return nullptr;
  return find_row(profile.database, wanted);
}

const Profile* profile_of_run(const std::map<std::string, std::string>& facts) {
  std::string database = folded_name(fact(facts, "database"));
  const std::string isolation = fact(facts, "isolation");
  if (database == "postgresql") database = "postgres";
  const std::string snapshots = folded_name(fact(facts, "innodb_snapshot_isolation"));
  if (database == "mariadb" && (snapshots == "1" || snapshots == "on") &&
      folded_name(isolation) == "repeatableread")
    database = "mariadb-snapshot";
  if (database == "tidb" && fact(facts, "mode") == "optimistic") database = "tidb-optimistic";
  if (database == "rocksdb" && fact(facts, "kind") == "optimistic") database = "rocksdb-optimistic";
  return find_row(database, isolation);
}

std::vector<std::string> suggest_profiles(std::string_view misspelled) {
  std::vector<std::string> names;
  for (const Profile& row : all_profiles()) names.push_back(row.name());
  const std::vector<std::string_view> views(names.begin(), names.end());
  const std::vector<std::string_view> near = nearest_names(misspelled, views);
  return {near.begin(), near.end()};
}

const Profile& choose_profile(const ProfileChoice& choice, const std::map<std::string, std::string>& facts) {
  if (choice.file != nullptr) return *choice.file;
  if (!choice.name.empty()) return profile_named(choice.name);
  if (choice.level) return profile_of_level(*choice.level);
  if (const Profile* profile = profile_of_run(facts)) return *profile;
  throw UsageError("which database is this, and at which isolation?",
                   "--profile postgres:serializable, or --level serializable for what any database promises");
}

}  // namespace serval::online
