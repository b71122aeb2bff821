#pragma once
// Files beside the history: an expected order, an expected matrix. They are read within limits of their own,
// so that /dev/zero, a folder or the wrong file ends with an error and not with the machine's memory.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "serval/base/budget.h"

namespace serval::cli {

constexpr std::size_t kLongestLine = std::size_t{1} << 16;
constexpr std::size_t kLargestDocument = std::size_t{64} << 20;

// Calls `take` with every line, without its end, and its number from 1. Throws InputError for what cannot be
// read, for a folder and for a line longer than kLongestLine; BudgetExhausted.
void for_each_line(const std::string& path, Budget& budget,
                   const std::function<void(std::string_view line, std::uint64_t number)>& take);

// All of it. Throws InputError, also above kLargestDocument bytes.
std::string read_document(const std::string& path);

}  // namespace serval::cli
