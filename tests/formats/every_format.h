#pragma once
// Parameters of tests that run for every format.

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "serval/formats/format.h"

namespace serval {

inline std::vector<Format> writable_formats() {
  std::vector<Format> formats;
  for (const FormatInfo& row : all_formats())
    if (row.write != nullptr) formats.push_back(row.format);
  return formats;
}

// Test names must not contain "-".
inline std::string test_name_of(const testing::TestParamInfo<Format>& parameter) {
  std::string name(info(parameter.param).name);
  std::erase(name, '-');
  return name;
}

}  // namespace serval
