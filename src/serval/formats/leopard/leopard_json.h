#pragma once
// Leopard's traces as histories: a folder with trace/loader-<client>.<slice>.json, one set of files per
// client, and init_data/<table>.csv, the initial rows. Described in docs/formats/leopard.md.
//
// Statements show some of the columns of a row, so every column of a row is a separate key,
// table/key.column. The initial rows are a first transaction. Without them, and for a single file, a read
// does not identify the writer: its value is unknown, unless its own transaction wrote it.

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

// The files of such a folder.
struct LeopardFolder {
  std::vector<std::vector<std::string>> clients;  // The files of each client, ordered by slice.
  std::vector<std::string> tables;                // Files of the initial rows.
};
LeopardFolder find_leopard_files(const std::string& path);  // Empty if there are none.

// The initial rows of a table, which is named like the file without .csv. Throws InputError.
void read_leopard_table(const std::string& path, Budget* budget,
                        const std::function<void(const LeopardRow&)>& row);

}  // namespace serval
