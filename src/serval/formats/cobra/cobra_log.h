#pragma once
// Cobra's logs: a folder with one *.log file per session and big-endian records, the format of Cobra,
// King Cobra, PolySI, MTC and VeriStrong. Described in docs/formats/cobra.md.
//
//   'S' transaction [time]                      starts it; the time only in logs that have times
//   'W' write key value                         a write has its own id
//   'R' transaction write key value             a read names the write that it saw
//   'C' transaction [time]                      commits it; there are no aborted ones
//
// A read identifies a version by (write, transaction, value). Its Value is the id of the write; if two
// versions of a key share that id, the later one in the files becomes a text with all three. So different
// versions stay different, and a read of a value without a writer stays one.
//
// King Cobra's version order, a file *.vo (cobra_version_order.h), gives writes their versions.

#include <string>
#include <string_view>

#include "serval/formats/format.h"

namespace serval {

// One log is a history of one session.
bool looks_like_cobra(std::string_view start);
History read_cobra(ByteStream& stream, const ReadOptions& options);
// Throws OutputError for more than one session, which needs a folder, and like write_cobra_folder.
void write_cobra(const History& history, const ByteOutput& out, const Notice& lossy);

bool is_cobra_folder(const std::string& path);
History read_cobra_folder(const std::string& path, const ReadOptions& options);
// Calls `file` with a name and its bytes, once per session, and for the version order if a write has a
// version. Throws OutputError if a read could have seen several writes of one value, since a read of
// Cobra names its write.
void write_cobra_folder(const History& history, const FileOutput& file, const Notice& lossy);

}  // namespace serval
