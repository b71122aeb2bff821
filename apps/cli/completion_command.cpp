// serval completion: scripts that complete verbs, flags and values, generated from the same tables as the
// help.

#include <array>
#include <memory>

#include <fmt/format.h>

#include "choices.h"
#include "exit_code.h"
#include "help.h"
#include "output.h"
#include "serval/base/error.h"
#include "serval/database/simulated/simulate.h"
#include "serval/model/model.h"
#include "serval/online/profile.h"
#include "serval/workload/workload.h"
#include "verb.h"

namespace serval::cli {
namespace {

template <class Table>
std::string names_in(const Table& table) {
  std::string out;
  for (const auto& row : table) out += (out.empty() ? "" : " ") + std::string(row.name);
  return out;
}

struct FlagValues {
  std::string flags;  // Separated by blanks.
  std::string values;
};

std::string profile_names() {
  std::string out;
  for (const online::Profile& profile : online::all_profiles())
    out += (out.empty() ? "" : " ") + profile.name();
  return out;
}

// The flags whose values come from a table; all others complete to files.
std::vector<FlagValues> flag_values() {
  const std::string formats = "auto " + names_in(all_formats());
  return {{"-l --level", names_in(all_levels())},
          {"-m --model", names_in(all_models())},
          {"--failed-cas", "nothing mismatch"},
          {"-f --format --from --to", formats},
          {"-w --workload", names_in(all_workloads())},
          {"--distribution", names_in(all_key_distributions())},
          {"--bug", names_in(all_simulated_bugs())},
          {"--plant", names_in(all_planted_anomalies())},
          {"--progress", "auto plain none"},
          {"--color", "auto always never"},
          {"--unknown", "fail pass"},
          {"--truncated", "error ok"},
          {"--times", "none txns ops"},
          {"--order", "completion session"},
          {"--profile", profile_names()},
          {"--initial", "unknown"},
          {"--on-violation", "exit exec:"},
          {"--assume", "versions commit-order sequential-keys linearizable-keys"}};
}

std::string positional_values(const Verb& verb) {
  if (verb.name == "levels") return names_in(all_levels());
  if (verb.name == "anomalies") return names_in(all_anomalies());
  if (verb.name == "models") return names_in(all_models());
  if (verb.name == "workloads") return names_in(all_workloads());
  if (verb.name == "profiles") return profile_names();
  if (verb.name == "completion") return "bash zsh fish";
  return {};
}

std::vector<std::string> flags_of(const Verb& verb) {
  Arguments arguments;
  const Action unused = verb.declare(arguments);
  return arguments.flag_names();
}

std::string alternatives(std::string words) {
  for (std::size_t at = words.find(' '); at != std::string::npos; at = words.find(' ', at)) words[at] = '|';
  return words;
}

std::string bash_script() {
  std::string out = "# serval completion bash > /etc/bash_completion.d/serval\n_serval() {\n";
  out += "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n";
  out += fmt::format(
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n    COMPREPLY=($(compgen -W \"{} help\" -- \"$cur\"))\n    "
      "return\n  fi\n",
      names_in(all_verbs()));
  out += "  case $prev in\n";
  for (const FlagValues& row : flag_values())
    out += fmt::format("    {}) COMPREPLY=($(compgen -W \"{}\" -- \"$cur\")); return ;;\n",
                       alternatives(row.flags), row.values);
  out += "  esac\n  local words=\n  case ${COMP_WORDS[1]} in\n";
  for (const Verb& verb : all_verbs())
    out += fmt::format("    {}) words=\"{} {}\" ;;\n", verb.name, fmt::join(flags_of(verb), " "),
                       positional_values(verb));
  out += "  esac\n  COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n";
  out += "  case $cur in -*) ;; *) COMPREPLY+=($(compgen -f -- \"$cur\")) ;; esac\n}\n";
  return out + "complete -o filenames -F _serval serval\n";
}

// zsh runs bash completions.
std::string zsh_script() {
  return "#compdef serval\nautoload -U +X bashcompinit && bashcompinit\n" + bash_script();
}

std::string quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("\\'") : std::string(1, c);
  return out + "'";
}

std::string fish_script() {
  std::string out = "# serval completion fish > ~/.config/fish/completions/serval.fish\n";
  for (const Verb& verb : all_verbs())
    out += fmt::format("complete -c serval -n __fish_use_subcommand -f -a {} -d {}\n", verb.name,
                       quoted(verb.summary));
  for (const Verb& verb : all_verbs()) {
    const std::string when = fmt::format("complete -c serval -n '__fish_seen_subcommand_from {}'", verb.name);
    for (const std::string& flag : flags_of(verb))
      if (flag.starts_with("--")) out += fmt::format("{} -l {}\n", when, flag.substr(2));
    const std::string values = positional_values(verb);
    if (!values.empty()) out += fmt::format("{} -f -a '{}'\n", when, values);
  }
  for (const FlagValues& row : flag_values()) {
    const std::string flag = row.flags.substr(row.flags.find("--") + 2);
    out += fmt::format("complete -c serval -l {} -x -a '{}'\n", flag.substr(0, flag.find(' ')), row.values);
  }
  return out;
}

int show_script(const std::string& shell) {
  static constexpr std::array<std::string_view, 3> kShells{"bash", "zsh", "fish"};
  const std::size_t chosen = choose("serval completion", shell, kShells);
  print(chosen == 0 ? bash_script() : chosen == 1 ? zsh_script() : fish_script());
  return kHolds;
}

}  // namespace

Action declare_completion(Arguments& arguments) {
  auto shell = std::make_shared<std::string>();
  arguments.word("SHELL", *shell, "bash, zsh or fish");
  return [shell] { return show_script(*shell); };
}

}  // namespace serval::cli
