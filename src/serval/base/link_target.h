#pragma once
// The file that a path means when it is written: symbolic links are followed, also to a file that is not
// there yet. Links that lead nowhere, or in a circle, are followed as far as the system follows any.
//
//   link_target("latest.jsonl")   // "runs/7.jsonl", if that is what latest.jsonl points to

#include <string>

namespace serval {

std::string link_target(const std::string& path);

}  // namespace serval
