// How much of a database's throughput does recording cost? Runs the same workload on the same server, in
// turns by a campaign that records and by bare sessions that do not. Each recorded run is compared with
// the bare runs next to it. The result is the median of these ratios, because a busy machine affects all
// of them.
//
// Throughput means little if other programs come and go on the same cores. So there is a second ratio:
// processor time per committed transaction, of clients, recorder and server together. If the processor
// is the bottleneck, one is the inverse of the other. It needs a server on this machine.
//
//   postgres_recording "$(scripts/servers start postgres)" [WORKLOAD] [ROUNDS] [SECONDS]

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
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

struct Speed {
  double transactions = 0;  // Per second.
  double processor = 0;     // Seconds per committed transaction.
};

// Seconds used by a process and by its children that have ended; also its parent.
struct ProcessTimes {
  int parent = 0;
  double own = 0, ended = 0;
};

ProcessTimes times_of(const std::string& process) {
  std::ifstream file("/proc/" + process + "/stat");
  std::string line;
  std::getline(file, line);
  const std::size_t name_end = line.rfind(')');
  if (name_end == std::string::npos) return {};
  std::istringstream rest(line.substr(name_end + 2));
  std::vector<std::string> fields{std::istream_iterator<std::string>(rest), {}};
  if (fields.size() < 15) return {};
  const double tick = 1.0 / static_cast<double>(::sysconf(_SC_CLK_TCK));
  const auto sum = [&](std::size_t i) { return (std::stod(fields[i]) + std::stod(fields[i + 1])) * tick; };
  return {.parent = std::stoi(fields[1]), .own = sum(11), .ended = sum(13)};
}

double children_seconds(int server) {
  double sum = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename().string();
    if (std::isdigit(static_cast<unsigned char>(name.front())) == 0) continue;
    const ProcessTimes times = times_of(name);
    if (times.parent == server) sum += times.own;
  }
  return sum;
}

// For all processes of the server and for this one. Tries again if a process has ended in the meantime,
// because its time would be missing or counted twice.
double processor_seconds(int server) {
  for (;;) {
    const ProcessTimes before = times_of(std::to_string(server));
    const double children = children_seconds(server);
    if (times_of(std::to_string(server)).ended == before.ended)
      return before.own + before.ended + children + static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
  }
}

// The parent of a process that serves us; 0 if it is not on this machine.
int server_process(const std::string& address) {
  const auto database = serval::open_database(address, {.isolation = "serializable"});
  database->create({{.name = "registers"}});
  const auto client = database->connect(0);
  client->begin();
  const std::string node = client->hints().node;  // "backend 4711"
  client->roll_back();
  database->drop();
  return times_of(node.substr(node.rfind(' ') + 1)).parent;
}

struct Question {
  std::string address, workload;
  std::chrono::seconds time;
  std::uint64_t seed;
  int server;
};

// A session as a campaign runs it, without what is only needed for recording.
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
        script->complete(*request, client.perform(*request));
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
Speed speed(const Question& question, Run run) {
  const auto database = serval::open_database(question.address, {.isolation = "serializable"});
  const serval::Workload workload = serval::make_workload(question.workload, serval::KeyRequest{});
  database->create(workload.generator->schema());
  const double before = processor_seconds(question.server);
  const auto committed = static_cast<double>(run(*database, *workload.generator, question));
  const double used = processor_seconds(question.server) - before;
  database->drop();
  return {.transactions = committed / static_cast<double>(question.time.count()),
          .processor = used / committed};
}

std::string spelled(std::vector<double> ratios) {
  std::ranges::sort(ratios);
  const std::size_t half = ratios.size() / 2;
  const double median = ratios.size() % 2 == 1 ? ratios[half] : (ratios[half - 1] + ratios[half]) / 2;
  return fmt::format("{:.3f} ({} runs, half of them {:.3f} to {:.3f})", median, ratios.size(),
                     ratios[ratios.size() / 4], ratios[ratios.size() * 3 / 4]);
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
                    .seed = 1,
                    .server = server_process(words[1])};
  const int rounds = std::max(1, count > 3 ? std::atoi(words[3]) : 6);
  std::vector<double> throughput, processor;
  Speed before = speed(question, committed_bare);
  for (int round = 0; round < rounds; ++round) {
    question.seed += kSessions;
    const Speed recorded = speed(question, committed_recorded);
    const Speed after = speed(question, committed_bare);
    throughput.push_back(recorded.transactions / ((before.transactions + after.transactions) / 2));
    processor.push_back(recorded.processor / ((before.processor + after.processor) / 2));
    fmt::print("bare {:.0f} /s, recorded {:.0f}, bare {:.0f}; processor {:.0f}, {:.0f}, {:.0f} us\n",
               before.transactions, recorded.transactions, after.transactions, before.processor * 1e6,
               recorded.processor * 1e6, after.processor * 1e6);
    before = after;
  }
  fmt::print("{}: with recording throughput is {} of that without,\n", question.workload,
             spelled(throughput));
  fmt::print("processor time a transaction {}\n", spelled(processor));
  return 0;
}
