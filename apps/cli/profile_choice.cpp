#include "profile_choice.h"

#include <filesystem>

#include "auxiliary_file.h"
#include "serval/base/error.h"
#include "serval/online/profile_file.h"

namespace serval::cli {
namespace {

bool names_a_profile_file(const std::string& word) {
  if (word.find('/') != std::string::npos || word.ends_with(".profile")) return true;
  std::error_code ignored;
  return word.find(':') == std::string::npos && std::filesystem::exists(word, ignored);
}

std::string content_of_profile(const std::string& path) {
  try {
    return read_document(path);
  } catch (const InputError& error) {
    throw online::ProfileError(error.position(), error.problem(), {}, error.hint());
  }
}

}  // namespace

online::ProfileChoice read_profile_choice(const std::string& word) {
  if (!names_a_profile_file(word)) {
    if (!word.empty()) online::choose_profile({.name = word}, {});
    return {.name = word};
  }
  return {.file =
              std::make_shared<const online::Profile>(online::read_profile(content_of_profile(word), word))};
}

}  // namespace serval::cli
