#include "serval/evidence/verdict.h"

#include "serval/base/contract.h"

namespace serval {

std::string_view name_of(ChainBreak::Rule rule) {
  switch (rule) {
    case ChainBreak::Rule::TwoInserts:
      return "two-inserts";
    case ChainBreak::Rule::TwoSuccessors:
      return "two-successors";
    case ChainBreak::Rule::NeverWritten:
      return "never-written";
    case ChainBreak::Rule::Unreachable:
      return "unreachable";
    case ChainBreak::Rule::RealTime:
      return "real-time";
  }
  broken_contract("a rule of the enumeration", __FILE__, __LINE__);
}

}  // namespace serval
