// The command line: a list of verbs, and the one place where everything that can go wrong ends.

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
    Verb{"check", "FILE… [options]", "Decide whether a history keeps an isolation level",
         "serval check history.jsonl                     # any anomaly? exit 0 none, 1 found, 2 unknown\n"
         "serval check run.txt --level serializable      # gate one level: exit 0 holds, 1 violated, 2 "
         "unknown\n"
         "serval check bank.edn --model bank             # judge by a model (serval models)\n"
         "serval check a.edn b.edn.gz -l SI --json       # one JSON object per line\n"
         "zstdcat run.zst | serval check - --timeout 60s --memory-limit 4GiB",
         declare_check},
    Verb{"gen", "[options] -o FILE", "Write a synthetic history, with or without a bug",
         "serval gen -n 1M -o big.txt                               # correct, PolySI text by the name\n"
         "serval gen --level snapshot-isolation --keys 20 -o si.jsonl --seed 7\n"
         "serval gen --plant lost-update -o lost.jsonl              # exactly one anomaly\n"
         "serval gen -w general:operations=8 --bug dirty-read -o h.jsonl",
         declare_gen},
    Verb{"run", "ADDRESS [options]", "Drive a database with a workload, record what clients saw, check it",
         "serval run sqlite: -w list-append -t 5s                   # embedded, in a temporary file\n"
         "serval run postgres://127.0.0.1/test -w mini -i repeatable-read --level serializable\n"
         "serval run rocksdb: -w general -c 16 -n 100k --seed 7\n"
         "serval drivers                                            # addresses and isolations",
         declare_run},
    Verb{"record", "ADDRESS -o FILE [options]",
         "Drive a database and record what clients saw, without checking",
         "serval record sqlite:/tmp/test.db -w mini -n 10k -o run.jsonl && serval check run.jsonl",
         declare_record},
    Verb{"watch", "SOURCE [options]", "Verify a database while it runs, from what clients saw and when",
         "serval watch run.jsonl                                    # grows under serval run or record\n"
         "serval watch unix:/tmp/serval.sock --profile postgres:serializable --metrics 127.0.0.1:9464\n"
         "serval watch tcp:9465 --level snapshot-isolation --on-violation exec:./page-somebody\n"
         "serval watch trace-folder/ --profile tidb:repeatable-read # a trace of Leopard",
         declare_watch},
    Verb{"demo", "", "Serval at work in twenty seconds, on databases that need no server", "serval demo",
         declare_demo},
    Verb{"convert", "IN OUT [options]", "Write a history in another format",
         "serval convert run.edn run.jsonl\n"
         "serval convert run.jsonl run.txt --to polysi --strict     # refuse to lose anything",
         declare_convert},
    Verb{"stats", "FILE [options]", "Sessions, transactions, keys, contention, latency of a history",
         "serval stats run.jsonl\nserval stats run.txt --json", declare_stats},
    Verb{"lint", "FILE [options]", "Which preconditions a history meets: unique writes, clocks, retries",
         "serval lint run.jsonl\nserval lint run.txt --json", declare_lint},
    Verb{"probe", "DSN [options]", "Which anomalies a database permits at each isolation it offers",
         "serval probe rocksdb:                                     # a temporary database in this process\n"
         "serval probe postgres://localhost/test -i serializable -i repeatable-read\n"
         "serval probe sqlite: --json > expected.json\n"
         "serval probe sqlite: --expect expected.json               # exit 1 and the differences",
         declare_probe},
    Verb{"bench", "[NAME] [options]", "Repeat experiments of the papers on this machine",
         "serval bench                                              # list the experiments\n"
         "serval bench king-cobra --plot king-cobra.svg             # 10k transactions, all cells of Figs. "
         "13 and 14",
         declare_bench},
    Verb{"levels", "[NAME] [--json]", "The isolation levels and what they are called elsewhere",
         "serval levels\nserval levels PL-3", declare_levels},
    Verb{"anomalies", "[NAME] [--json]", "The anomalies and which levels forbid them",
         "serval anomalies\nserval anomalies write-skew", declare_anomalies},
    Verb{"models", "[NAME] [--json]", "Models to judge a history by, instead of a level: bank, set, ...",
         "serval models\nserval models bank", declare_models},
    Verb{"drivers", "[NAME] [--json]", "The databases that serval can drive, and what they promise",
         "serval drivers\nserval drivers postgres", declare_drivers},
    Verb{"formats", "[--json]", "The file formats", "serval formats", declare_formats},
    Verb{"workloads", "[NAME] [--json]", "The workloads, and the bugs and anomalies that serval gen can add",
         "serval workloads\nserval workloads bank", declare_workloads},
    Verb{"version", "", "The version of serval", "serval version", declare_version},
    Verb{"completion", "bash|zsh|fish", "Completion script for a shell",
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

// Anyone on the machine can list the words of a process. The word stays as long as it was.
void hide_passwords(char* word) {
  for (const serval::PasswordPlace& place : serval::find_passwords(word))
    std::fill(word + place.begin, word + place.end, '*');
}

}  // namespace

int main(int argument_count, char** arguments) {
  serval::cli::keep_freed_memory();
  std::signal(SIGXFSZ, SIG_IGN);  // A file that may not grow is an OutputError, as a full disk is.
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
