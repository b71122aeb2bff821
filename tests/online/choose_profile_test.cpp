#include <gtest/gtest.h>

#include "serval/base/error.h"
#include "serval/online/profile.h"

namespace serval::online {
namespace {

std::string hint_of(const ProfileChoice& choice) {
  try {
    choose_profile(choice, {});
  } catch (const UsageError& error) {
    return error.hint();
  }
  return "accepted";
}

TEST(ChooseProfile, TheNameTakesPrecedenceThenTheLevelThenTheFacts) {
  const std::map<std::string, std::string> facts{{"database", "PostgreSQL"}, {"isolation", "serializable"}};
  EXPECT_EQ(choose_profile({.name = "mariadb:repeatable-read", .level = Level::Serializable}, facts).name(),
            "mariadb:repeatable-read");
  EXPECT_EQ(choose_profile({.level = Level::ReadCommitted}, facts).name(), "generic:read-committed");
  EXPECT_EQ(choose_profile({}, facts).name(), "postgres:serializable");
}

TEST(ChooseProfile, RefusalsNameMatchingProfiles) {
  EXPECT_TRUE(hint_of({.name = "postgres:serialisable"}).starts_with("did you mean postgres:serializable"));
  EXPECT_NE(hint_of({.level = Level::Linearizable}).find("serializable"), std::string::npos);
  EXPECT_NE(hint_of({}).find("--profile"), std::string::npos);
}

}  // namespace
}  // namespace serval::online
