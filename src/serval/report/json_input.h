#pragma once
// The "input" of a JSON report: the file, its format, and the notices of its reader.

#include <string>
#include <vector>

#include "serval/base/json_writer.h"

namespace serval {

// Leaves the object open for further members.
inline void begin_input(JsonWriter& json, const std::string& path, const std::string& format,
                        const std::vector<std::string>& notices) {
  json.key("input").begin_object().key("path").text(path).key("format");
  format.empty() ? json.null() : json.text(format);
  json.key("notices").begin_array();
  for (const std::string& notice : notices) json.text(notice);
  json.end();
}

}  // namespace serval
