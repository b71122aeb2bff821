// The files of a Leopard trace, and the initial rows.

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "serval/base/error.h"
#include "serval/base/folder.h"
#include "serval/formats/leopard/leopard_json.h"

namespace serval {
namespace {

namespace fs = std::filesystem;

// loader-<client>.<slice>.json, perhaps still being written, perhaps compressed.
std::optional<std::pair<std::uint64_t, std::uint64_t>> place_of(std::string_view name) {
  constexpr std::string_view kStart = "loader-";
  if (!name.starts_with(kStart)) return {};
  name.remove_prefix(kStart.size());
  std::uint64_t client = 0, slice = 0;
  const char* const end = name.data() + name.size();
  const auto first = std::from_chars(name.data(), end, client);
  if (first.ec != std::errc{} || first.ptr == end || *first.ptr != '.') return {};
  const auto second = std::from_chars(first.ptr + 1, end, slice);
  if (second.ec != std::errc{}) return {};
  const std::string_view rest(second.ptr, static_cast<std::size_t>(end - second.ptr));
  for (const std::string_view suffix : {".json", ".json.gz", ".json.zst", ".json.writing"})
    if (rest == suffix) return std::pair(client, slice);
  return {};
}

std::vector<fs::path> files_in_if_any(const fs::path& folder) {
  std::error_code ignored;
  return fs::exists(folder, ignored) ? files_in(folder) : std::vector<fs::path>();
}

std::vector<std::vector<std::string>> clients_in(const fs::path& folder) {
  std::map<std::uint64_t, std::map<std::uint64_t, std::string>> found;
  for (const fs::path& file : files_in_if_any(folder))
    if (const auto place = place_of(file.filename().string()))
      found[place->first][place->second] = file.string();
  std::vector<std::vector<std::string>> clients;
  for (auto& [client, slices] : found) {
    clients.emplace_back();
    for (auto& [slice, path] : slices) clients.back().push_back(std::move(path));
  }
  return clients;
}

// One line of the table: fields in single, double or no quotes.
class CsvLine {
 public:
  CsvLine(std::string_view text, const SourcePosition& position) : text_(text), position_(position) {}

  std::vector<std::string> fields() {
    std::vector<std::string> out;
    do {
      out.push_back(field());
    } while (accept(','));
    if (at_ < text_.size()) fail("expected ',' or the end of the line");
    return out;
  }

 private:
  bool accept(char wanted) {
    if (at_ >= text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }
  std::string field() {
    for (const char quote : {'\'', '"'})
      if (accept(quote)) return quoted(quote);
    const std::size_t start = at_;
    at_ = std::min(text_.find(',', at_), text_.size());
    return std::string(text_.substr(start, at_ - start));
  }
  std::string quoted(char quote) {
    std::string out;
    while (at_ < text_.size()) {
      if (!accept(quote))
        out += text_[at_++];
      else if (accept(quote))
        out += quote;
      else
        return out;
    }
    fail("expected the closing quote");
  }
  [[noreturn]] void fail(const char* problem) const {
    SourcePosition at = position_;
    at.column = at_ + 1;
    throw InputError(at, problem, std::string(text_));
  }

  std::string_view text_;
  const SourcePosition& position_;
  std::size_t at_ = 0;
};

std::string read_all(const std::string& path, Budget* budget) {
  ByteStream stream = ByteStream::open(path, budget);
  std::string text;
  for (std::string_view chunk = stream.next(); !chunk.empty(); chunk = stream.next()) {
    if (budget != nullptr) budget->look("read");
    text += chunk;
  }
  return text;
}

}  // namespace

LeopardFolder find_leopard_files(const std::string& path) {
  LeopardFolder found;
  const fs::path folder(path);
  found.clients = clients_in(folder / "trace");
  fs::path around = folder;
  if (found.clients.empty()) {
    found.clients = clients_in(folder);
    around = (folder.has_filename() ? folder : folder.parent_path()).parent_path();
  }
  if (found.clients.empty()) return found;
  for (const fs::path& file : files_in_if_any(around / "init_data"))
    if (file.extension() == ".csv") found.tables.push_back(file.string());
  return found;
}

void read_leopard_table(const std::string& path, Budget* budget,
                        const std::function<void(const LeopardRow&)>& row) {
  const std::string text = read_all(path, budget);
  const std::string table = fs::path(path).stem().string();
  std::vector<std::string> columns;
  SourcePosition position{path};
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = std::string_view(text).substr(at, end - at);
    at = end + 1;
    ++position.line;
    if (budget != nullptr) budget->poll("read");
    while (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) continue;
    std::vector<std::string> fields = CsvLine(line, position).fields();
    if (columns.empty()) {
      columns = std::move(fields);
      continue;
    }
    if (fields.size() != columns.size())
      throw InputError(
          {path, position.line, 1},
          fmt::format("expected {} fields, one per column, but got {}", columns.size(), fields.size()),
          std::string(line));
    LeopardRow made{table, std::move(fields.front()), {}};
    for (std::size_t i = 1; i < fields.size(); ++i) made.cells.push_back({columns[i], std::move(fields[i])});
    row(made);
  }
}

}  // namespace serval
