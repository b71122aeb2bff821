#pragma once
// Which model fits a history, by the functions of its operations and the form of their results.

#include <string>
#include <vector>

#include "serval/model/model.h"

namespace serval {

// Best first; empty if none fits. O(n).
std::vector<Model> fitting_models(const ClientHistory& history);

// "this looks like a bank log; to check it, add --model bank", or "" if no model fits.
std::string model_hint(const ClientHistory& history);

}  // namespace serval
