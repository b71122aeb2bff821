// Files with profiles. What is read is written and read again, and the mirror uses it.
//
//   F1  read(write(profile)) is the profile.

#include "serval/base/error.h"
#include "serval/history/notation.h"
#include "serval/online/mirror_history.h"
#include "serval/online/online_report.h"
#include "serval/online/profile_file.h"
#include "target.h"

namespace serval::fuzz {
namespace {

// Overlapping transactions that read, write, delete and abort.
const History& tried_history() {
  static const History history = parse_history(
      "s1: [w(x,1) r(y,0)]@1..9 [r(x,2) w(y,3)]@12..30\n"
      "s2: [r(x,0) w(x,2)]@3..14 [w(y,4) r(x,1)]!@15..20\n"
      "s3: [r(y,0) r(x,1)]@5..25 [w(x,2)]?@26..40\n");
  return history;
}

void use(const online::Profile& profile) {
  const std::string text = online::write_profile(profile, {{"", "again"}, {"level", "two\nlines"}});
  try {
    if (!(online::read_profile(text, "fuzz") == profile))
      throw Defect("read again, it is another profile: " + text);
  } catch (const InputError& error) {
    throw Defect("written as " + text + ", which cannot be read: " + error.what());
  }
  online::text_of(online::mirror_history(tried_history(), profile));
}

}  // namespace

Target profile_target() {
  return {"profile", "profiles of databases, for --profile", [](std::string_view bytes) {
            std::optional<online::Profile> profile;
            try {
              profile = online::read_profile(bytes, "fuzz");
            } catch (const InputError&) {
              return;
            }
            use(*profile);
          }};
}

}  // namespace serval::fuzz
