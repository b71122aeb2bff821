#pragma once
// Cobra's logs: a folder with one file *.log a session, records in big endian, as Cobra, King Cobra, PolySI,
// MTC and VeriStrong keep histories. Page: docs/formats/cobra.md.
//
//   'S' transaction [time]                      starts it; the time only in logs that have times
//   'W' write key value                         a write has an id of its own
//   'R' transaction write key value             a read names the write that it saw
//   'C' transaction [time]                      commits it; there are no aborted ones
//
// A version is (write, transaction, value), as a read spells it. Its Value is the id of the write; where two
// versions of a key share that id, the later one of the two in the files is a text that spells all three. So
// different versions stay different, and a read of what no log wrote stays a read of what nobody wrote.
//
// King Cobra's version order, a file *.vo (cobra_version_order.h), gives writes their versions.

#include <functional>
#include <string>
#include <string_view>

#include "serval/formats/format.h"

namespace serval {

// One log is a history of one session.
bool looks_like_cobra(std::string_view start);
History read_cobra(ByteStream& stream, const ReadOptions& options);
// Throws OutputError for more than one session, which need a folder, and for what write_cobra_folder refuses.
void write_cobra(const History& history, const std::function<void(std::string_view)>& out,
                 const std::function<void(const std::string&)>& lossy);

bool is_cobra_folder(const std::string& path);
History read_cobra_folder(const std::string& path, const ReadOptions& options);
// Calls `file` with a name and its bytes, once for every session, and for the version order if a write has a
// version. Throws OutputError when a read could have
// seen several writes of one value, since a read of Cobra names its write.
void write_cobra_folder(const History& history,
                        const std::function<void(const std::string&, std::string_view)>& file,
                        const std::function<void(const std::string&)>& lossy);

}  // namespace serval
