#pragma once
// Reads files other than the history: an expected order, an expected matrix. They have their own size
// limits, so that /dev/zero, a folder or a wrong file causes an error rather than exhausting memory.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "serval/base/budget.h"

namespace serval::cli {

constexpr std::size_t kLongestLine = std::size_t{1} << 16;
constexpr std::size_t kLargestDocument = std::size_t{64} << 20;

// Calls `take` with every line, without its newline, and its number, from 1. Throws InputError if the
// file cannot be read, is a folder or has a line longer than kLongestLine; BudgetExhausted.
void for_each_line(const std::string& path, Budget& budget,
                   const std::function<void(std::string_view line, std::uint64_t number)>& take);

// The whole file. Throws InputError, also if it has more than kLargestDocument bytes.
std::string read_document(const std::string& path);

}  // namespace serval::cli
