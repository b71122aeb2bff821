#pragma once
// Help texts, examples first.

#include <string>

#include "verb.h"

namespace serval::cli {

std::string short_help();  // What `serval` alone prints.
std::string verb_help(const Verb& verb, const Arguments& arguments);

}  // namespace serval::cli
