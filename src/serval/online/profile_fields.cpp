#include "serval/online/profile_fields.h"

#include <algorithm>
#include <array>

#include "serval/online/profile_file.h"

namespace serval::online {
namespace {

// By the number of the enumerator; an empty word cannot be written.
constexpr std::array<std::string_view, 2> kNoYes{"no", "yes"};
constexpr std::array<std::string_view, 4> kReadModes{"", "consistent", "locking", "uncommitted"};
constexpr std::array<std::string_view, 3> kLockModes{"none", "shared", "exclusive"};
constexpr std::array<std::string_view, 5> kSnapshotPoints{"statement", "first-statement", "first-plain-read",
                                                          "begin", "anytime"};
constexpr std::array<std::string_view, 2> kInstallPoints{"commit", "anytime"};
constexpr std::array<std::string_view, 2> kFreshness{"current", "any"};
constexpr std::array<std::string_view, 4> kCycleRules{"information-flow", "prefix", "snapshot", "serial"};
constexpr std::array<std::string_view, 5> kCertifiers{"none", "ssi", "timestamp-order", "occ", "percolator"};
constexpr std::array<std::string_view, 4> kBases{"documentation", "tests", "definition", "probe"};

// They are part of labels, messages and names such as postgres:serializable.
bool is_name(std::string_view word) {
  constexpr std::size_t kLongest = 64;
  return !word.empty() && word.size() <= kLongest && std::ranges::all_of(word, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.' || c == '+';
  });
}

template <auto Member>
ProfileField name_field(std::string_view key, std::string_view meaning, bool required) {
  return {.key = key,
          .meaning = meaning,
          .words = {},
          .get = [](const Profile& profile) { return profile.*Member; },
          .set =
              [](Profile& profile, std::string_view word) {
                if (is_name(word)) profile.*Member = word;
                return is_name(word);
              },
          .required = required};
}

template <auto Member, const auto& Words>
ProfileField choice_field(std::string_view key, std::string_view meaning) {
  ProfileField field{.key = key,
                     .meaning = meaning,
                     .words = {},
                     .get =
                         [](const Profile& profile) {
                           return std::string(Words[static_cast<std::size_t>(profile.*Member)]);
                         },
                     .set =
                         [](Profile& profile, std::string_view word) {
                           const auto found = std::ranges::find(Words, word);
                           if (word.empty() || found == Words.end()) return false;
                           profile.*Member = static_cast<std::remove_reference_t<decltype(profile.*Member)>>(
                               found - Words.begin());
                           return true;
                         }};
  for (const std::string_view word : Words)
    if (!word.empty()) field.words.push_back(word);
  return field;
}

// Only levels that the mirror can check.
bool set_level(Profile& profile, std::string_view word) {
  const Profile* generic = find_profile("generic:" + std::string(word));
  if (generic != nullptr) profile.level = generic->level;
  return generic != nullptr;
}

std::vector<ProfileField> make_fields() {
  return {
      name_field<&Profile::database>("database", "The database.", true),
      name_field<&Profile::isolation>("isolation", "What the database calls the setting.", true),
      {.key = "level",
       .meaning = "The level that it corresponds to; serval levels lists them.",
       .words = {},
       .get = [](const Profile& profile) { return std::string(name_of(profile.level)); },
       .set = set_level,
       .required = true},
      name_field<&Profile::protocol>("protocol", "The protocol, for readers of this file.", false),
      choice_field<&Profile::basis, kBases>("basis", "How the promises are known"),
      choice_field<&Profile::plain_read, kReadModes>("plain-read", "What SELECT sees"),
      choice_field<&Profile::locking_read, kReadModes>("locking-read", "What SELECT FOR UPDATE sees"),
      choice_field<&Profile::writing_read, kReadModes>("writing-read", "What UPDATE replaces"),
      choice_field<&Profile::plain_lock, kLockModes>("plain-lock", "How SELECT locks rows until the end"),
      choice_field<&Profile::write_lock, kLockModes>("write-lock", "How writes lock rows until the end"),
      choice_field<&Profile::snapshot, kSnapshotPoints>("snapshot", "When the snapshot is taken"),
      choice_field<&Profile::install, kInstallPoints>("install", "When others see the writes"),
      choice_field<&Profile::one_state_a_statement, kNoYes>("one-state-a-statement",
                                                            "A statement reads all rows at one moment"),
      choice_field<&Profile::one_clock, kNoYes>("one-clock", "One clock orders commits across keys"),
      choice_field<&Profile::freshness, kFreshness>("freshness", "How old a snapshot may be"),
      choice_field<&Profile::keeps_sessions, kNoYes>("keeps-sessions",
                                                     "The transactions of a session are in order"),
      choice_field<&Profile::first_updater_wins, kNoYes>("first-updater-wins",
                                                         "Of two concurrent writers of a row one fails"),
      choice_field<&Profile::one_update_a_version, kNoYes>(
          "one-update-a-version", "Of two that read a version and write the row one fails"),
      choice_field<&Profile::equal_writes_vanish, kNoYes>("equal-writes-vanish",
                                                          "An update that changes nothing writes nothing"),
      choice_field<&Profile::cycles, kCycleRules>("cycles", "The cycles that are forbidden"),
      choice_field<&Profile::certifier, kCertifiers>(
          "certifier", "The rule of the database itself, which is only counted"),
  };
}

}  // namespace

std::span<const ProfileField> profile_fields() {
  static const std::vector<ProfileField> fields = make_fields();
  return fields;
}

std::string_view name_of(Certifier certifier) { return kCertifiers[static_cast<std::size_t>(certifier)]; }
std::string_view name_of(CycleRule cycles) { return kCycleRules[static_cast<std::size_t>(cycles)]; }
std::string_view name_of(Basis basis) { return kBases[static_cast<std::size_t>(basis)]; }

}  // namespace serval::online
