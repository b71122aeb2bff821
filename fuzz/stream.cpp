// Lines as `serval watch` receives them: from a client, in pieces, through the pipeline to the mirror.
//
//   S1  records leave in the order of their begins (T1 of stream/pipeline.h);
//   S2  how the bytes are cut into pieces does not affect what is accepted. (What is refused first, a clock
//       that ran backwards or a later line, depends on when each is noticed. A session whose first record
//       begins before what has left is late only if something has left.)

#include "serval/base/error.h"
#include "serval/base/random.h"
#include "serval/online/online_verifier.h"
#include "serval/stream/native_stream.h"
#include "target.h"

namespace serval::fuzz {
namespace {

class Watch {
 public:
  // The outcome in words: the number of records and the findings. Empty if the input was refused or
  // late.
  std::string run(std::string_view bytes, std::size_t most_bytes) {
    try {
      take(bytes, most_bytes);
    } catch (const InputError&) {
      return "";
    }
    if (pipeline_.status().late_transactions > 0) return "";
    std::string out = std::to_string(records_) + " records";
    for (const online::Violation& violation : verifier_.finish().violations) out += "\n" + violation.format();
    return out;
  }

 private:
  void take(std::string_view bytes, std::size_t most_bytes) {
    NativeStream stream("client", intake_);
    for (std::size_t at = 0; at < bytes.size(); at += most_bytes) {
      stream.take(bytes.substr(at, most_bytes));
      stream.flush();
      drain();
    }
    stream.end();
    pipeline_.no_more_clients();
    drain();
  }

  void drain() {
    while (pipeline_.dispatch([this](std::span<const Record> run) { accept(run); }) ==
           Pipeline::Progress::Moved) {
    }
  }

  void accept(std::span<const Record> run) {
    for (const Record& record : run) {
      if (record.kind != RecordKind::Initial && record.time.begin < last_)
        throw Defect("a record left the pipeline after one that began later");
      if (record.kind != RecordKind::Initial) last_ = record.time.begin;
      ++records_;
    }
    verifier_.accept(run);
  }

  Pipeline pipeline_{{}};
  Intake intake_{pipeline_};
  online::OnlineVerifier verifier_{*online::find_profile("generic:serializable")};
  std::uint64_t records_ = 0;
  Time last_ = kUnknownBegin;
};

void stream_in_pieces(std::string_view bytes) {
  const std::string whole = Watch().run(bytes, bytes.size() + 1);
  const std::string pieces = Watch().run(bytes, 7);
  if (whole != pieces && !whole.empty() && !pieces.empty())
    throw Defect("whole: " + whole + "\nin pieces: " + pieces);
}

}  // namespace

Target stream_target() {
  return {"stream", "lines of the native format from a client of serval watch", stream_in_pieces};
}

}  // namespace serval::fuzz
