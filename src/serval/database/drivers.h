#pragma once
// The open functions of all_drivers(), one per folder.

#include "serval/database/database.h"

namespace serval {

std::unique_ptr<Database> open_simulated(std::string_view address, const DatabaseOptions& options);
std::unique_ptr<Database> open_sqlite(std::string_view address, const DatabaseOptions& options);
std::unique_ptr<Database> open_rocksdb(std::string_view address, const DatabaseOptions& options);
std::unique_ptr<Database> open_postgres(std::string_view address, const DatabaseOptions& options);
std::unique_ptr<Database> open_mariadb(std::string_view address, const DatabaseOptions& options);
std::unique_ptr<Database> open_etcd(std::string_view address, const DatabaseOptions& options);
std::unique_ptr<Database> open_exec(std::string_view address, const DatabaseOptions& options);

}  // namespace serval
