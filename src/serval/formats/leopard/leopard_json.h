#pragma once
// Leopard's traces as histories: a folder with trace/loader-<client>.<slice>.json, one set of files a
// client, and init_data/<table>.csv, the rows at the start. Page: docs/formats/leopard.md.
//
// Statements show some of the columns of a row, so every column of a row is a key of its own,
// table/key.column. The rows at the start are a first transaction. Without them, and of a single file, a
// read tells nothing of who wrote what it saw: its value is unknown, unless its own transaction wrote it.

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "serval/formats/format.h"
#include "serval/formats/leopard/leopard_operation.h"

namespace serval {

bool looks_like_leopard(std::string_view start);
History read_leopard(ByteStream& stream, const ReadOptions& options);

bool is_leopard_folder(const std::string& path);
History read_leopard_folder(const std::string& path, const ReadOptions& options);

// Where things are in such a folder.
struct LeopardFolder {
  std::vector<std::vector<std::string>> clients;  // The files of each, in order of their slices.
  std::vector<std::string> tables;                // Files of the rows at the start.
};
LeopardFolder find_leopard_files(const std::string& path);  // Empty where there are none.

// The rows of a table at the start; the file's name without .csv is the table's. Throws InputError.
void read_leopard_table(const std::string& path, Budget* budget,
                        const std::function<void(const LeopardRow&)>& row);

}  // namespace serval
