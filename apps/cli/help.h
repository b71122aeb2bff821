#pragma once
// The help texts.

#include <string>

#include "verb.h"

namespace serval::cli {

std::string short_help();  // `serval --help`.
std::string verb_help(const Verb& verb, const Arguments& arguments);

}  // namespace serval::cli
