#pragma once
// A folder that is removed at the end of the test.

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

namespace serval::watch {

class WithFolder : public testing::Test {
 protected:
  WithFolder()
      : folder_(std::filesystem::path(testing::TempDir()) / ("serval-watch-" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~WithFolder() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(path(name)) << text;
    return path(name);
  }

 private:
  std::filesystem::path folder_;
};

// The second transaction read x = 0 before the first one committed, and wrote x after that: a lost
// update.
inline const std::string kLostUpdate =
    R"({"serval":"history","version":1,"initial":0})"
    "\n"
    R"({"s":"a","t":1,"ops":[["r","x",0,{"at":[11,12]}],["w","x",1,{"at":[13,14]}]],"begin":10,"end":20})"
    "\n"
    R"({"s":"b","t":2,"ops":[["r","x",0,{"at":[12,13]}],["w","x",2,{"at":[30,31]}]],"begin":11,"end":40})"
    "\n";
inline const std::string kClean = R"({"serval":"history","version":1,"initial":0})"
                                  "\n"
                                  R"({"s":"a","t":1,"ops":[["r","x",0],["w","x",1]],"begin":10,"end":20})"
                                  "\n"
                                  R"({"s":"b","t":2,"ops":[["r","x",1],["w","x",2]],"begin":30,"end":40})"
                                  "\n";

}  // namespace serval::watch
