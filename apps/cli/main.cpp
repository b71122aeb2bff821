// The command line: the table of verbs, and the handler of every exception.

#include <algorithm>
#include <array>
#include <csignal>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "exit_code.h"
#include "failure.h"
#include "help.h"
#include "memory_limit.h"
#include "output.h"
#include "serval/base/error.h"
#include "serval/base/nearest_names.h"
#include "serval/database/passwords.h"
#include "verb.h"

namespace serval::cli {
namespace {

constexpr std::array kVerbs{
    Verb{"check", "FILE… [options]", "Check a history against an isolation level",
         "serval check history.jsonl  # exit 0: no anomaly, 1: found, 2: unknown\n"
         "serval check run.txt --level serializable  # exit 0: holds, 1: violated, 2: unknown\n"
         "serval check bank.edn --model bank  # judge by a model (serval models)\n"
         "serval check a.edn b.edn.gz -l SI --json  # one JSON object per line\n"
         "serval check run.jsonl --oracle postgres://127.0.0.1/test\n"
         "zstdcat run.zst | serval check - --timeout 60s --memory-limit 4GiB",
         declare_check},
    Verb{"gen", "[options] -o FILE", "Generate a synthetic history, with or without bugs",
         "serval gen -n 1M -o big.txt  # PolySI text, by the file name\n"
         "serval gen --level snapshot-isolation --keys 20 -o si.jsonl --seed 7\n"
         "serval gen --plant lost-update -o lost.jsonl  # exactly one anomaly\n"
         "serval gen -w general:operations=8 --bug dirty-read -o h.jsonl",
         declare_gen},
    Verb{"run", "ADDRESS [options]", "Run a workload against a database, record it, and check it",
         "serval run sqlite: -w list-append -t 5s  # embedded, in a temporary file\n"
         "serval run postgres://127.0.0.1/test -i repeatable-read --level serializable\n"
         "serval run rocksdb: -w general -c 16 -n 100k --seed 7\n"
         "serval run 'mariadb://root@tidb:4000/test?dialect=tidb&mode=optimistic'\n"
         "serval drivers  # addresses and isolations",
         declare_run},
    Verb{"record", "ADDRESS -o FILE [options]",
         "Run a workload against a database and record it, without checking",
         "serval record sqlite:/tmp/test.db -n 10k -o run.jsonl\nserval check run.jsonl", declare_record},
    Verb{"watch", "SOURCE [options]", "Verify a running database from what its clients see",
         "serval watch run.jsonl  # a recording that still grows\n"
         "serval watch unix:/tmp/serval.sock --profile postgres:serializable\n"
         "serval watch tcp:9465 --level snapshot-isolation --metrics 9464\n"
         "serval watch run.jsonl --on-violation exec:./page-somebody\n"
         "serval watch trace-folder/ --profile tidb:repeatable-read  # traces of Leopard",
         declare_watch},
    Verb{"demo", "", "See serval at work in twenty seconds; needs no database server", "serval demo",
         declare_demo},
    Verb{"convert", "IN OUT [options]", "Convert a history to another format",
         "serval convert run.edn run.jsonl\n"
         "serval convert run.jsonl run.txt --to polysi --strict  # fail rather than lose anything",
         declare_convert},
    Verb{"stats", "FILE [options]", "Print statistics of a history: sessions, keys, latency, ...",
         "serval stats run.jsonl\nserval stats run.txt --json", declare_stats},
    Verb{"lint", "FILE [options]", "Check preconditions of a history: unique writes, clocks, ...",
         "serval lint run.jsonl\nserval lint run.txt --json", declare_lint},
    Verb{"probe", "DSN [options]", "Find out which anomalies a database permits at each isolation",
         "serval probe rocksdb:  # a temporary database in this process\n"
         "serval probe postgres://localhost/test -i serializable -i repeatable-read\n"
         "serval probe sqlite: --json > expected.json\n"
         "serval probe sqlite: --expect expected.json  # exit 1 and print the differences, if any",
         declare_probe},
    Verb{"bench", "[NAME] [options]", "Reproduce experiments from papers on this machine",
         "serval bench  # list the experiments\n"
         "serval bench king-cobra --plot king-cobra.svg  # Figs. 13 and 14",
         declare_bench},
    Verb{"levels", "[NAME] [--json]", "List the isolation levels and their aliases",
         "serval levels\nserval levels PL-3", declare_levels},
    Verb{"anomalies", "[NAME] [--json]", "List the anomalies and the levels that forbid them",
         "serval anomalies\nserval anomalies write-skew", declare_anomalies},
    Verb{"models", "[NAME] [--json]", "List the models that check --model offers: bank, set, ...",
         "serval models\nserval models bank", declare_models},
    Verb{"profiles", "[NAME] [--json]", "List what the mirror knows about databases: --profile",
         "serval profiles\n"
         "serval profiles postgres:serializable > my.profile  # to change it",
         declare_profiles},
    Verb{"drivers", "[NAME] [--json]", "List the supported databases and what they promise",
         "serval drivers\nserval drivers postgres", declare_drivers},
    Verb{"formats", "[--json]", "List the file formats", "serval formats", declare_formats},
    Verb{"workloads", "[NAME] [--json]", "List the workloads, and the bugs and anomalies of serval gen",
         "serval workloads\nserval workloads bank", declare_workloads},
    Verb{"version", "", "Print the version", "serval version", declare_version},
    Verb{"completion", "bash|zsh|fish", "Print a completion script for a shell",
         "serval completion bash > ~/.local/share/bash-completion/completions/serval", declare_completion},
};

const Verb* find_verb(std::string_view name) {
  const auto found = std::ranges::find(kVerbs, name, &Verb::name);
  return found == kVerbs.end() ? nullptr : &*found;
}

[[noreturn]] void refuse_word(const std::string& word) {
  std::error_code ignored;
  if (std::filesystem::exists(word, ignored))
    throw UsageError(fmt::format("\"{}\" is a file, not a verb", word), fmt::format("serval check {}", word));
  std::vector<std::string_view> names;
  names.reserve(kVerbs.size());
  for (const Verb& verb : kVerbs) names.push_back(verb.name);
  const std::vector<std::string_view> near = nearest_names(word, names);
  throw UsageError(fmt::format("there is no verb \"{}\"", word),
                   near.empty() ? "serval --help lists the verbs" : did_you_mean(word, near));
}

int run(int argument_count, const char* const* arguments) {
  if (argument_count < 2) {
    note(short_help());
    return kUsage;
  }
  std::string word = arguments[1];
  if (word == "--version" || word == "-V") word = "version";
  if (word == "help" && argument_count > 2) {
    const std::array<const char*, 2> asks_help{arguments[2], "--help"};
    if (const Verb* verb = find_verb(arguments[2])) return run_verb(*verb, 2, asks_help.data());
    refuse_word(arguments[2]);
  }
  if (word == "help" || word == "--help" || word == "-h") {
    print(short_help());
    return kHolds;
  }
  if (const Verb* verb = find_verb(word)) return run_verb(*verb, argument_count - 1, arguments + 1);
  refuse_word(word);
}

}  // namespace

std::span<const Verb> all_verbs() { return kVerbs; }

}  // namespace serval::cli

namespace {

// Command lines are visible to every user of the machine. The length of the word does not change.
void hide_passwords(char* word) {
  for (const serval::PasswordPlace& place : serval::find_passwords(word))
    std::fill(word + place.begin, word + place.end, '*');
}

}  // namespace

int main(int argument_count, char** arguments) {
  serval::cli::keep_freed_memory();
  std::signal(SIGXFSZ, SIG_IGN);  // Exceeding a file size limit is then an OutputError, like a full disk.
  const std::vector<std::string> words(arguments, arguments + argument_count);
  std::vector<const char*> pointers;
  pointers.reserve(words.size());
  for (const std::string& word : words) pointers.push_back(word.c_str());
  std::for_each(arguments, arguments + argument_count, hide_passwords);
  try {
    return serval::cli::run(argument_count, pointers.data());
  } catch (...) {
    const serval::cli::Failure failure = serval::cli::describe_current_exception();
    serval::cli::note(failure.drawing);
    return failure.exit_code;
  }
}
