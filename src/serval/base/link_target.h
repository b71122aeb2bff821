#pragma once
// The file that is written when a path is: symbolic links are followed, even to a file that does not
// exist yet. Dangling and cyclic links are followed as far as the operating system would.
//
//   link_target("latest.jsonl")   // "runs/7.jsonl", if that is what latest.jsonl points to

#include <string>

namespace serval {

std::string link_target(const std::string& path);

}  // namespace serval
