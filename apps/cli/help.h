#pragma once
// Help texts, examples first.

#include <string>
#include <vector>

#include "verb.h"

namespace serval::cli {

std::string short_help();  // What `serval` alone prints.
std::string verb_help(const Verb& verb, const CLI::App& app);
// Every spelling of every flag: "-l", "--level", ...
std::vector<std::string> flag_names(const CLI::App& app);

}  // namespace serval::cli
