#pragma once
// A verb of the command line: `serval check …`. Each lives in its own file and declares its options on a
// CLI::App; what it returns does the work.

#include <functional>
#include <span>
#include <string_view>

namespace CLI {
class App;
}

namespace serval::cli {

using Action = std::function<int()>;  // The exit code; throws what failure.h draws.

struct Verb {
  std::string_view name;
  std::string_view usage;     // "FILE… [options]"
  std::string_view summary;   // One line.
  std::string_view examples;  // Lines without indentation; the help shows them first.
  Action (*declare)(CLI::App& app);
};

std::span<const Verb> all_verbs();

// Parses the words after the verb and acts. Throws UsageError.
int run_verb(const Verb& verb, int argument_count, const char* const* arguments);

Action declare_check(CLI::App& app);
Action declare_gen(CLI::App& app);
Action declare_convert(CLI::App& app);
Action declare_stats(CLI::App& app);
Action declare_lint(CLI::App& app);
Action declare_levels(CLI::App& app);
Action declare_anomalies(CLI::App& app);
Action declare_models(CLI::App& app);
Action declare_formats(CLI::App& app);
Action declare_workloads(CLI::App& app);
Action declare_version(CLI::App& app);
Action declare_completion(CLI::App& app);

}  // namespace serval::cli
