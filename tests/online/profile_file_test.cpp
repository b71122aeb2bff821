#include "serval/online/profile_file.h"

#include <gtest/gtest.h>

#include "sample.h"
#include "serval/base/error.h"
#include "serval/online/mirror_history.h"
#include "serval/online/profile_fields.h"
#include "small_database.h"
#include "trace_builder.h"

namespace serval::online {
namespace {

constexpr const char* kSmallest = "database = mydb\nisolation = high\nlevel = serializable\n";

// "line:column: problem"
std::string refusal_of(const std::string& text) {
  try {
    read_profile(text, "my.profile");
  } catch (const InputError& error) {
    EXPECT_EQ(error.position().file, "my.profile");
    return std::to_string(error.position().line) + ":" + std::to_string(error.position().column) + ": " +
           error.problem();
  }
  return "accepted";
}

TEST(ProfileFile, EveryBuiltInProfileWrittenAndReadAgainIsEqual) {
  for (const Profile& row : all_profiles())
    EXPECT_EQ(read_profile(write_profile(row), "again"), row) << write_profile(row);
}

TEST(ProfileFile, EveryKeyMakesADifference) {
  const Profile weakest = read_profile(kSmallest, "f");
  for (const ProfileField& field : profile_fields()) {
    bool differs = field.words.empty();
    for (const std::string_view word : field.words) {
      Profile changed = weakest;
      ASSERT_TRUE(field.set(changed, word)) << field.key << " " << word;
      EXPECT_EQ(field.get(changed), word);
      EXPECT_EQ(read_profile(write_profile(changed), "f"), changed);
      differs |= !(changed == weakest);
    }
    EXPECT_TRUE(differs) << field.key;
  }
}

TEST(ProfileFile, CommentsBlanksAndLineEndsDoNotMatter) {
  EXPECT_EQ(
      read_profile("# mine\r\n\r\n\tdatabase=mydb # name\r\n  isolation =high\r\nlevel= PL-3  #\r\n", "f"),
      read_profile(kSmallest, "f"));
  EXPECT_EQ(read_profile("database = mydb\nisolation = high\nlevel = serializable", "f"),
            read_profile(kSmallest, "f"));
}

TEST(ProfileFile, AKeyThatIsLeftOutPromisesNothing) {
  for (const std::uint64_t seed : fresh_seeds(sample_of(300, 20))) {
    const History history =
        SmallDatabase({.keeps = SmallDatabase::Keeps::ReadCommitted, .seed = seed, .lies = 0.3}).run();
    const OnlineResult result = mirror_history(history, read_profile(kSmallest, "f"));
    EXPECT_FALSE(result.violated()) << seed << "\n" << result.violations.front().format();
  }
}

TEST(ProfileFile, RefusalsHaveLineAndColumn) {
  const std::string all(kSmallest);
  EXPECT_EQ(refusal_of("database = mydb\n  one clock\n"), "2:3: expected \"key = value\"");
  EXPECT_EQ(refusal_of("database = mydb\n cyles = serial\n"), "2:2: there is no key \"cyles\"");
  EXPECT_EQ(refusal_of("one-clock = maybe\n"), "1:13: \"maybe\" is not a value of \"one-clock\"");
  EXPECT_EQ(refusal_of("plain-read = unstated"), "1:14: \"unstated\" is not a value of \"plain-read\"");
  EXPECT_EQ(refusal_of("database = my db\n"), "1:12: \"my db\" is not a value of \"database\"");
  EXPECT_EQ(refusal_of("level = linearizable\n"), "1:9: \"linearizable\" is not a value of \"level\"");
  EXPECT_EQ(refusal_of(all + "database = other\n"), "4:1: \"database\" is given twice, first in line 1");
  EXPECT_EQ(refusal_of("database =\n"), "1:11: \"database\" has no value");
  EXPECT_EQ(refusal_of("database = mydb\nlevel = SI\n"), "3:1: the profile ends without \"isolation\"");
  EXPECT_EQ(refusal_of(""), "1:1: the profile ends without \"database\"");
  EXPECT_EQ(refusal_of(std::string(70'000, '#')), "0:0: not a profile: more than 65536 bytes");
}

// The built-in row postgres:read-committed may promise more than this database does.
TEST(ProfileFile, OtherLevelsOfItsDatabaseAreUnknown) {
  const Profile mine =
      read_profile("database = postgres\nisolation = serializable\nlevel = serializable\n", "f");
  EXPECT_EQ(sibling(mine, StatedLevel::Serializable), &mine);
  EXPECT_EQ(sibling(mine, StatedLevel::Unstated), &mine);
  EXPECT_EQ(sibling(mine, StatedLevel::ReadCommitted), nullptr);
}

TEST(ProfileFile, IsPreferredToANameAndToTheFacts) {
  const auto mine = std::make_shared<const Profile>(read_profile(kSmallest, "f"));
  const ProfileChoice choice{.name = "postgres:serializable", .file = mine};
  EXPECT_EQ(&choose_profile(choice, {{"database", "PostgreSQL"}, {"isolation", "serializable"}}), mine.get());
  EXPECT_FALSE(ProfileChoice{.file = mine}.empty());
}

// What a file promises is verified: here that a read sees only committed versions.
TEST(ProfileFile, ItsPromisesAreVerified) {
  const Profile reads = read_profile(std::string(kSmallest) + "plain-read = consistent\n", "f");
  TraceBuilder trace;
  trace.initial("x", 0).write(1, "x", 7, {10, 20}).read(2, "x", 7, {25, 28});
  trace.abort(1, {30, 40}).commit(2, {50, 60});
  const std::vector<Record> records = trace.ordered();
  const auto violated = [&](const Profile& profile) {
    OnlineVerifier verifier(profile);
    verifier.accept(records);
    return verifier.finish().violated();
  };
  EXPECT_TRUE(violated(reads));
  EXPECT_FALSE(violated(read_profile(kSmallest, "f")));
}

// Any combination of promises is judged without a broken invariant.
TEST(ProfileFile, AnyCombinationCanBeUsed) {
  Random random = fresh_random();
  std::uint64_t violated = 0;
  for (const std::uint64_t seed : fresh_seeds(sample_of(3000, 150))) {
    Profile drawn = read_profile(kSmallest, "f");
    for (const ProfileField& field : profile_fields()) {
      if (field.words.empty()) continue;
      ASSERT_TRUE(field.set(drawn, field.words[random.below(field.words.size())])) << field.key;
    }
    const History history =
        SmallDatabase(
            {.keeps = SmallDatabase::Keeps::ReadCommitted, .seed = seed, .transactions = 40, .lies = 0.1})
            .run();
    violated += mirror_history(history, drawn).violated() ? 1 : 0;
  }
  EXPECT_GT(violated, 0u);
}

}  // namespace
}  // namespace serval::online
