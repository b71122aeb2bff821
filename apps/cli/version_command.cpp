// serval version.

#include <CLI/CLI.hpp>

#include "exit_code.h"
#include "output.h"
#include "verb.h"

namespace serval::cli {

Action declare_version(CLI::App& /*app*/) {
  return [] {
    print("serval " SERVAL_VERSION "\n");
    return static_cast<int>(kHolds);
  };
}

}  // namespace serval::cli
