// serval profiles: the table of profiles of the mirror, or one of them as a file.

#include <fmt/format.h>

#include "reference_command.h"
#include "serval/online/profile_fields.h"
#include "serval/online/profile_file.h"
#include "tables.h"
#include "verb.h"

namespace serval::cli {
namespace {

using online::Certifier;
using online::CycleRule;
using online::Profile;
using online::SnapshotPoint;

bool is_abstract(const Profile& row) { return row.basis == online::Basis::Definition; }

// As in docs/mirror.md: t, s, r, or nothing.
std::string consistent_reads(const Profile& row) {
  if (row.plain_read == ReadMode::Uncommitted) return "";
  if (row.plain_read == ReadMode::Locking) return "r";
  if (row.snapshot == SnapshotPoint::Statement) return row.one_state_a_statement ? "s" : "r";
  return row.one_clock ? "t" : "r";
}

std::string locks(const Profile& row) {
  return fmt::format("{}{}", row.write_lock == LockMode::None ? "" : "w",
                     row.plain_lock == LockMode::None ? "" : " r");
}

std::vector<std::string> cells_of(const Profile& row) {
  return {"  " + row.isolation,
          std::string(name_of(row.basis)),
          consistent_reads(row),
          locks(row),
          row.first_updater_wins ? "x" : "",
          row.cycles == CycleRule::InformationFlow ? "ww wr" : std::string(name_of(row.cycles)),
          row.certifier == Certifier::None ? "" : std::string(name_of(row.certifier))};
}

std::string profile_table() {
  std::vector<std::vector<std::string>> rows{
      {"database, isolation", "basis", "CR", "ME", "FUW", "cycles", "certifier"}};
  std::string database;
  for (const Profile& row : online::all_profiles()) {
    if (is_abstract(row)) continue;
    if (row.database != database) rows.push_back({row.database, ""});
    database = row.database;
    rows.push_back(cells_of(row));
  }
  return paragraph(
             "What --profile DATABASE:ISOLATION promises. serval profiles NAME prints a profile as a file, "
             "to "
             "change it and to give it to --profile.") +
         "\n" + aligned(rows) + "\n" +
         paragraph(
             "Basis: \"tests\" ran every workload on the real database without an alarm; \"documentation\" "
             "rests on its documentation alone. CR: reads see a snapshot of the transaction (t) or of the "
             "statement (s), or each row at its own moment (r). ME: writes (w) and plain reads (r) lock. "
             "FUW: "
             "the first updater wins. Cycles: those that are forbidden. docs/mirror.md explains them. "
             "generic:LEVEL promises what the level requires of any database, simulated:LEVEL what the "
             "simulated database does.");
}

const Profile& profile_row_named(const std::string& name) {
  return online::choose_profile({.name = name}, {});
}

std::string profile_page(const Profile& row) {
  return write_profile(
      row, {{"", fmt::format("What {} promises. A key that is left out promises nothing.", row.name())}});
}

void write_profile_json(JsonWriter& json, const Profile& row) {
  json.begin_object().key("name").text(row.name());
  for (const online::ProfileField& field : online::profile_fields()) json.key(field.key).text(field.get(row));
  json.end();
}

}  // namespace

Action declare_profiles(Arguments& arguments) {
  return declare_reference<Profile>(arguments, {.rows = online::all_profiles,
                                                .row_named = profile_row_named,
                                                .table = profile_table,
                                                .page = profile_page,
                                                .write_json = write_profile_json,
                                                .name_help = "A profile, such as postgres:serializable"});
}

}  // namespace serval::cli
