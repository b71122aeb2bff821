#pragma once
// A verb of the command line, such as `serval check`. Each has its own file and a function that declares
// its arguments and returns the action to run.

#include <functional>
#include <span>
#include <string_view>

#include "arguments.h"

namespace serval::cli {

using Action = std::function<int()>;  // Returns the exit code; throws what failure.h describes.

struct Verb {
  std::string_view name;
  std::string_view usage;     // "FILE… [options]"
  std::string_view summary;   // One line.
  std::string_view examples;  // One per line: "command" or "command  # comment".
  Action (*declare)(Arguments& arguments);
};

std::span<const Verb> all_verbs();

// Parses the words after the verb and runs the action. Throws UsageError.
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
Action declare_profiles(Arguments& arguments);
Action declare_formats(Arguments& arguments);
Action declare_probe(Arguments& arguments);
Action declare_bench(Arguments& arguments);
Action declare_workloads(Arguments& arguments);
Action declare_version(Arguments& arguments);
Action declare_completion(Arguments& arguments);

}  // namespace serval::cli
