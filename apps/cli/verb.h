#pragma once
// A verb of the command line: `serval check …`. Each lives in its own file and declares what it takes;
// what it returns does the work.

#include <functional>
#include <span>
#include <string_view>

#include "arguments.h"

namespace serval::cli {

using Action = std::function<int()>;  // The exit code; throws what failure.h draws.

struct Verb {
  std::string_view name;
  std::string_view usage;     // "FILE… [options]"
  std::string_view summary;   // One line.
  std::string_view examples;  // Lines without indentation; the help shows them first.
  Action (*declare)(Arguments& arguments);
};

std::span<const Verb> all_verbs();

// Parses the words after the verb and acts. Throws UsageError.
int run_verb(const Verb& verb, int argument_count, const char* const* words);

Action declare_check(Arguments& arguments);
Action declare_gen(Arguments& arguments);
Action declare_run(Arguments& arguments);
Action declare_record(Arguments& arguments);
Action declare_watch(Arguments& arguments);
Action declare_demo(Arguments& arguments);
Action declare_drivers(Arguments& arguments);
Action declare_convert(Arguments& arguments);
Action declare_stats(Arguments& arguments);
Action declare_lint(Arguments& arguments);
Action declare_levels(Arguments& arguments);
Action declare_anomalies(Arguments& arguments);
Action declare_models(Arguments& arguments);
Action declare_formats(Arguments& arguments);
Action declare_probe(Arguments& arguments);
Action declare_bench(Arguments& arguments);
Action declare_workloads(Arguments& arguments);
Action declare_version(Arguments& arguments);
Action declare_completion(Arguments& arguments);

}  // namespace serval::cli
