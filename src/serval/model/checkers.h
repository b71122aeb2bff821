#pragma once
// The checks of the individual models; model.cpp puts them in a table. Each has its own source file,
// named after it. All throw InputError on values that the model does not accept.

#include "serval/model/model.h"

namespace serval {

// O(n) unless stated otherwise.
ModelResult check_bank(const ClientHistory& history, const ModelOptions& options);
ModelResult check_counter(const ClientHistory& history, const ModelOptions& options);  // O(n log n)
ModelResult check_set(const ClientHistory& history, const ModelOptions& options);
ModelResult check_set_full(const ClientHistory& history, const ModelOptions& options);   // O(n log n)
ModelResult check_long_fork(const ClientHistory& history, const ModelOptions& options);  // O(n log n)
ModelResult check_monotonic(const ClientHistory& history, const ModelOptions& options);  // O(n log n)
ModelResult check_comments(const ClientHistory& history, const ModelOptions& options);   // O(n log n)
ModelResult check_sequential(const ClientHistory& history, const ModelOptions& options);

// Linearizability of one object per key: see linearization_search.h.
ModelResult check_cas_register(const ClientHistory& history, const ModelOptions& options);
ModelResult check_mutex(const ClientHistory& history, const ModelOptions& options);
ModelResult check_multi_register(const ClientHistory& history, const ModelOptions& options);
ModelResult check_key_value(const ClientHistory& history, const ModelOptions& options);

}  // namespace serval
