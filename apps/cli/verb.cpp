#include "verb.h"

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "exit_code.h"
#include "help.h"
#include "output.h"
#include "serval/base/nearest_names.h"
#include "usage.h"

namespace serval::cli {
namespace {

std::string help_hint(const Verb& verb) { return "serval " + std::string(verb.name) + " --help"; }

[[noreturn]] void refuse_extra(const Verb& verb, const CLI::App& app, const std::string& word) {
  const std::string spelled = word.substr(0, word.find('='));
  if (!spelled.starts_with("-"))
    throw UsageError("serval " + std::string(verb.name) + " does not take \"" + word + "\"", help_hint(verb));
  const std::vector<std::string> flags = flag_names(app);
  const std::vector<std::string_view> names(flags.begin(), flags.end());
  const std::vector<std::string_view> near = nearest_names(spelled, names);
  throw UsageError("serval " + std::string(verb.name) + " has no flag " + spelled,
                   near.empty() ? help_hint(verb) : did_you_mean(spelled, near));
}

}  // namespace

int run_verb(const Verb& verb, int argument_count, const char* const* arguments) {
  CLI::App app;
  app.set_help_flag("-h,--help", "Show this help");
  app.allow_extras();
  const Action action = verb.declare(app);
  try {
    app.parse(argument_count, arguments);
  } catch (const CLI::CallForHelp&) {
    print(verb_help(verb, app));
    return kHolds;
  } catch (const CLI::ParseError& error) {
    if (!app.remaining().empty()) refuse_extra(verb, app, app.remaining().front());
    throw UsageError("serval " + std::string(verb.name) + ": " + error.what(), help_hint(verb));
  }
  if (!app.remaining().empty()) refuse_extra(verb, app, app.remaining().front());
  return action();
}

}  // namespace serval::cli
