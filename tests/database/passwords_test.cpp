#include "serval/database/passwords.h"

#include <gtest/gtest.h>

#include "serval/base/error.h"
#include "serval/database/database.h"

namespace serval {
namespace {

TEST(Passwords, AreHiddenBeforeAHost) {
  EXPECT_EQ(without_passwords("postgres://app:secret@db1/bench"), "postgres://app:***@db1/bench");
  EXPECT_EQ(without_passwords("see mariadb://app:a/b@c:d@db1:3306/x now"),
            "see mariadb://app:***@db1:3306/x now");
  EXPECT_EQ(without_passwords("\"app:secret@db1\" is not HOST:PORT"), "\"app:***@db1\" is not HOST:PORT");
}

TEST(Passwords, AreHiddenInOptions) {
  EXPECT_EQ(without_passwords("db1?password=secret&x=1"), "db1?password=***&x=1");
  EXPECT_EQ(without_passwords("?sslpassword=a PWD=b passwd='"), "?sslpassword=*** PWD=*** passwd='");
}

TEST(Passwords, OtherTextIsUnchanged) {
  for (const char* const text :
       {"postgres://app@db1:5432/bench?sslmode=require", "passfile=FILE in the address", "T7@2 and key:value",
        "sqlite:run.db?journal=wal", "127.0.0.1:5432", "", "libpq reads PGPASSWORD, ~/.pgpass"})
    EXPECT_EQ(without_passwords(text), text);
}

TEST(Passwords, OfAnAdditionalNodeAreRefusedAndNotRepeated) {
  for (const char* const address :
       {"postgres://app@127.0.0.1:1/x", "mariadb://app@127.0.0.1:1/x", "etcd://h:1"})
    for (const char* const node : {"db2?password=secret", "app:secret@db2", "db2:1?passwd=secret"}) {
      if (driver_of(address).open == nullptr) continue;
      try {
        static_cast<void>(open_database(address, {.nodes = {node}}));
        FAIL() << address << " with " << node;
      } catch (const InputError& error) {
        EXPECT_EQ(error.problem().find("secret"), std::string::npos) << error.problem();
        EXPECT_EQ(error.hint().find("secret"), std::string::npos) << error.hint();
      }
    }
}

}  // namespace
}  // namespace serval
