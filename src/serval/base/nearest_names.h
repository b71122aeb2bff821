#pragma once
// "Did you mean": the names nearest to a misspelled one.
//
//   nearest_names("snapshot-isolaton", names)   // {"snapshot-isolation"}
//
// O(length of word x total length of the names).

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace serval {

// At most three, best first, by edit distance (insert, delete, replace or swap neighbours); a name that
// begins with the word counts as near. Empty when nothing is closer than a third of the word.
std::vector<std::string_view> nearest_names(std::string_view word, std::span<const std::string_view> names);

// "did you mean \"a\" or \"b\"?", or "one of: a, b, c" when nothing is near.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> names);

}  // namespace serval
