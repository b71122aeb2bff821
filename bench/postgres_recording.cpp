// How much of a database's throughput does recording cost? The same workload on the same server, in turns
// by a campaign that records and by bare sessions that do not. One ratio for every recorded run, to the bare
// ones beside it; the median is the answer, since a busy machine moves all of them.
//
//   postgres_recording "$(scripts/servers start postgres)" [WORKLOAD] [ROUNDS] [SECONDS]

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "serval/base/random.h"
#include "serval/database/campaign.h"
#include "serval/workload/workload.h"

namespace {

constexpr std::uint32_t kSessions = 8;

struct Question {
  std::string address, workload;
  std::chrono::seconds time;
  std::uint64_t seed;
};

// A session as a campaign plays it, without what is there to be written down.
std::uint64_t play_bare(serval::Client& client, serval::Generator& generator, std::mutex& generating,
                        const Question& question, std::uint32_t session) {
  serval::Random random(serval::Random(question.seed + session).next());
  serval::KnownTags known;
  std::int64_t written = 0;
  std::uint64_t committed = 0;
  const auto deadline = std::chrono::steady_clock::now() + question.time;
  while (std::chrono::steady_clock::now() < deadline) try {
      std::unique_ptr<serval::Script> script;
      {
        const std::lock_guard lock(generating);
        script = generator.next_script(random, session, known);
      }
      const bool aborts = random.chance(0.02);
      client.begin();
      while (std::optional<serval::Request> request = script->next()) {
        if (!only_reads(request->kind)) request->tag = written++ * kSessions + session + 1;
        script->hear(*request, client.perform(*request));
      }
      if (aborts || script->aborts())
        client.roll_back();
      else if (client.commit() == serval::Outcome::Committed)
        ++committed;
    } catch (const serval::TransactionFailure&) {
    }
  return committed;
}

std::uint64_t committed_bare(serval::Database& database, serval::Generator& generator,
                             const Question& question) {
  std::mutex generating;
  std::atomic<std::uint64_t> committed = 0;
  std::vector<std::unique_ptr<serval::Client>> clients;
  for (std::uint32_t i = 0; i < kSessions; ++i) clients.push_back(database.connect(i));
  std::vector<std::thread> threads;
  for (std::uint32_t i = 0; i < kSessions; ++i)
    threads.emplace_back([&, i] { committed += play_bare(*clients[i], generator, generating, question, i); });
  for (std::thread& thread : threads) thread.join();
  return committed;
}

std::uint64_t committed_recorded(serval::Database& database, serval::Generator& generator,
                                 const Question& question) {
  const std::string path =
      (std::filesystem::temp_directory_path() / fmt::format("serval-recording-{}.jsonl", ::getpid()))
          .string();
  std::uint64_t committed = 0;
  {
    serval::Recorder recorder(path, {.initial = 0}, generator.schema());
    serval::Campaign campaign(database, generator, recorder,
                              {.sessions = kSessions, .time = question.time, .seed = question.seed});
    campaign.run();
    recorder.finish();
    committed = campaign.counts().committed;
  }
  std::filesystem::remove(path);
  return committed;
}

template <class Run>
double throughput(const Question& question, Run run) {
  const auto database = serval::open_database(question.address, {.isolation = "serializable"});
  const serval::Workload workload = serval::make_workload(question.workload, serval::KeyRequest{});
  database->create(workload.generator->schema());
  const std::uint64_t committed = run(*database, *workload.generator, question);
  database->drop();
  return static_cast<double>(committed) / static_cast<double>(question.time.count());
}

double median(std::vector<double> numbers) {
  std::ranges::sort(numbers);
  const std::size_t half = numbers.size() / 2;
  return numbers.size() % 2 == 1 ? numbers[half] : (numbers[half - 1] + numbers[half]) / 2;
}

}  // namespace

int main(int count, char** words) {
  if (count < 2) {
    fmt::print(stderr, "usage: postgres_recording ADDRESS [WORKLOAD] [ROUNDS] [SECONDS]\n");
    return 64;
  }
  Question question{.address = words[1],
                    .workload = count > 2 ? words[2] : "mini",
                    .time = std::chrono::seconds(count > 4 ? std::atoi(words[4]) : 10),
                    .seed = 1};
  const int rounds = count > 3 ? std::atoi(words[3]) : 6;
  std::vector<double> ratios;
  double before = throughput(question, committed_bare);
  for (int round = 0; round < rounds; ++round) {
    question.seed += kSessions;
    const double recorded = throughput(question, committed_recorded);
    const double bare = throughput(question, committed_bare);
    ratios.push_back(recorded / ((before + bare) / 2));
    fmt::print("{:.0f} bare, {:.0f} recorded, {:.0f} bare transactions a second: {:.3f}\n", before, recorded,
               bare, ratios.back());
    before = bare;
  }
  fmt::print("{}: with recording {:.3f} of the throughput without it (median of {}, {:.3f} to {:.3f})\n",
             question.workload, median(ratios), rounds, *std::ranges::min_element(ratios),
             *std::ranges::max_element(ratios));
  return 0;
}
