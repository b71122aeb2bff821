// serval version.

#include "exit_code.h"
#include "output.h"
#include "verb.h"

namespace serval::cli {

Action declare_version(Arguments& /*arguments*/) {
  return [] {
    print("serval " SERVAL_VERSION "\n");
    return static_cast<int>(kHolds);
  };
}

}  // namespace serval::cli
