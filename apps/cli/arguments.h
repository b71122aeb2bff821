#pragma once
// The flags and positional words of a verb. Hides the parser, a very large header that only one file
// includes.
//
//   arguments.word("FILE", flags->path, "The history; - is standard input");
//   arguments.option("-l,--level", flags->level, "Gate this level", "LEVEL");
//   arguments.flag("--json", flags->json, "One JSON object instead of text");

#include <memory>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace serval::cli {

class Arguments {
 public:
  Arguments();  // With -h and --help.
  ~Arguments();
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;

  // A target keeps its value if its flag is not given. Targets must outlive parse().
  void flag(const std::string& names, bool& target, const std::string& help);
  void option(const std::string& names, std::string& target, const std::string& help,
              const std::string& value_name);
  void option(const std::string& names, std::vector<std::string>& target, const std::string& help,
              const std::string& value_name);  // May be repeated.
  void word(const std::string& name, std::string& target, const std::string& help);
  void words(const std::string& name, std::vector<std::string>& target, const std::string& help);
  void optional_word(const std::string& name, std::string& target, const std::string& help);

  struct Parsed {
    bool wants_help = false;
    std::string problem;  // Empty if there is none.
    std::string extra;    // The first unexpected word, or empty.
  };
  Parsed parse(int count, const char* const* words);

  struct Description {
    std::string title;  // "-l, --level LEVEL"
    std::string help;
  };
  std::vector<Description> flags() const;       // In order of declaration, without words.
  std::vector<std::string> flag_names() const;  // Every spelling of every flag: "-l", "--level", ...

 private:
  std::unique_ptr<CLI::App> app_;
};

}  // namespace serval::cli
