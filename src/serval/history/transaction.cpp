#include "serval/history/transaction.h"

namespace serval {

std::string_view name_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::Committed:
      return "committed";
    case Outcome::Aborted:
      return "aborted";
    case Outcome::Indeterminate:
      return "indeterminate";
  }
  return "";
}

}  // namespace serval
