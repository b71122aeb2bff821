#include "verb.h"

#include <string>
#include <vector>

#include "exit_code.h"
#include "help.h"
#include "output.h"
#include "serval/base/error.h"
#include "serval/base/nearest_names.h"

namespace serval::cli {
namespace {

std::string help_hint(const Verb& verb) { return "serval " + std::string(verb.name) + " --help"; }

[[noreturn]] void refuse_extra(const Verb& verb, const Arguments& arguments, const std::string& word) {
  const std::string spelled = word.substr(0, word.find('='));
  if (!spelled.starts_with("-"))
    throw UsageError("serval " + std::string(verb.name) + " does not accept \"" + word + "\"",
                     help_hint(verb));
  const std::vector<std::string> flags = arguments.flag_names();
  const std::vector<std::string_view> names(flags.begin(), flags.end());
  const std::vector<std::string_view> near = nearest_names(spelled, names);
  throw UsageError("serval " + std::string(verb.name) + " has no flag " + spelled,
                   near.empty() ? help_hint(verb) : did_you_mean(spelled, near));
}

}  // namespace

int run_verb(const Verb& verb, int argument_count, const char* const* words) {
  Arguments arguments;
  const Action action = verb.declare(arguments);
  const Arguments::Parsed parsed = arguments.parse(argument_count, words);
  if (parsed.wants_help) {
    print(verb_help(verb, arguments));
    return kHolds;
  }
  if (!parsed.extra.empty()) refuse_extra(verb, arguments, parsed.extra);
  if (!parsed.problem.empty())
    throw UsageError("serval " + std::string(verb.name) + ": " + parsed.problem, help_hint(verb));
  return action();
}

}  // namespace serval::cli
