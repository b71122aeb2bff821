#include "arguments.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace serval::cli {
namespace {

std::string title_of(const CLI::Option& option) {
  std::string title;
  for (const std::string& name : option.get_snames())
    title += fmt::format("{}-{}", title.empty() ? "" : ", ", name);
  for (const std::string& name : option.get_lnames())
    title += fmt::format("{}--{}", title.empty() ? "    " : ", ", name);
  if (option.get_type_size() != 0) title += " " + option.get_type_name();
  return title;
}

// "Could not convert: --verify = maybe". Only flags fail to convert; options are text.
std::string without_value(std::string_view problem) {
  const std::size_t colon = problem.find(": "), equals = problem.find(" = ");
  if (colon == std::string_view::npos || equals == std::string_view::npos || equals < colon)
    return std::string(problem);
  return fmt::format("{} takes no value, but \"{}\" was given", problem.substr(colon + 2, equals - colon - 2),
                     problem.substr(equals + 3));
}

// An empty value is usually an unset variable in a script.
std::string refuse_empty(const std::string& value) {
  return value.empty() ? "needs a value, but an empty one was given" : "";
}

// "--rate: needs a value ...": our own message, after the name and a colon.
std::string without_colon(std::string problem) {
  const std::size_t colon = problem.find(": needs a value");
  if (colon != std::string::npos) problem.erase(colon, 1);
  return problem;
}

bool is_word(const CLI::Option& option) { return option.get_snames().empty() && option.get_lnames().empty(); }

}  // namespace

Arguments::Arguments() : app_(std::make_unique<CLI::App>()) {
  app_->set_help_flag("-h,--help", "Show this help");
  app_->allow_extras();
}
Arguments::~Arguments() = default;

void Arguments::flag(const std::string& names, bool& target, const std::string& help) {
  app_->add_flag(names, target, help);
}
void Arguments::option(const std::string& names, std::string& target, const std::string& help,
                       const std::string& value_name) {
  app_->add_option(names, target, help)->type_name(value_name)->check(refuse_empty);
}
void Arguments::option(const std::string& names, std::vector<std::string>& target, const std::string& help,
                       const std::string& value_name) {
  app_->add_option(names, target, help)->type_name(value_name)->check(refuse_empty);
}
void Arguments::word(const std::string& name, std::string& target, const std::string& help) {
  app_->add_option(name, target, help)->required();
}
void Arguments::words(const std::string& name, std::vector<std::string>& target, const std::string& help) {
  app_->add_option(name, target, help)->required();
}
void Arguments::optional_word(const std::string& name, std::string& target, const std::string& help) {
  app_->add_option(name, target, help);
}

Arguments::Parsed Arguments::parse(int count, const char* const* words) {
  Parsed parsed;
  try {
    app_->parse(count, words);
  } catch (const CLI::CallForHelp&) {
    parsed.wants_help = true;
  } catch (const CLI::ConversionError& error) {
    parsed.problem = without_value(error.what());
  } catch (const CLI::ParseError& error) {
    parsed.problem = without_colon(error.what());
  }
  if (!app_->remaining().empty()) parsed.extra = app_->remaining().front();
  return parsed;
}

std::vector<Arguments::Description> Arguments::flags() const {
  std::vector<Description> out;
  for (const CLI::Option* option : app_->get_options())
    if (!is_word(*option)) out.push_back({title_of(*option), option->get_description()});
  return out;
}

std::vector<std::string> Arguments::flag_names() const {
  std::vector<std::string> names;
  for (const CLI::Option* option : app_->get_options()) {
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

}  // namespace serval::cli
