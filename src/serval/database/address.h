#pragma once
// Splits an address into its place and its options, which follow a question mark.
//
//   read_address("rocksdb:/tmp/x?kind=optimistic", {"kind"}).place == "/tmp/x"

#include <initializer_list>
#include <map>
#include <string>
#include <string_view>

namespace serval {

struct AddressParts {
  std::string place;  // Between the scheme and the question mark, without a leading "//".
  std::map<std::string, std::string> options;

  std::string option(const std::string& name, std::string_view otherwise) const {
    const auto found = options.find(name);
    return found == options.end() ? std::string(otherwise) : found->second;
  }
};

// Throws InputError for an option that is not `known`, with the nearest names.
AddressParts read_address(std::string_view address, std::initializer_list<std::string_view> known);

}  // namespace serval
