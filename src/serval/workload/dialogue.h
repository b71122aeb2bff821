#pragma once
// A script as a coroutine, which sends a request, gets the response, and continues.
//
//   Dialogue withdraw(std::uint64_t account, std::int64_t amount) {
//     const Answer answer = co_await ask::read(0, account);
//     if (answer.rows.empty()) co_return Ending::Abort;
//     co_await ask::write(0, account, ask::columns(answer.rows.front().columns[0] - amount));
//     co_return Ending::Commit;
//   }
//
// Such a function takes its arguments by value, so that they live as long as the dialogue. It must not
// use lambdas with captures or mutable state of its generator.

#include <coroutine>
#include <exception>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "serval/base/contract.h"
#include "serval/workload/script.h"

namespace serval {

enum class Ending { Commit, Abort };

class Dialogue final : public Script {
 public:
  struct promise_type;
  using Handle = std::coroutine_handle<promise_type>;

  // Suspends between a request and its response.
  struct Question {
    promise_type& promise;
    bool await_ready() const noexcept { return false; }
    void await_suspend(Handle) const noexcept {}
    Answer await_resume() const;
  };

  struct promise_type {
    std::optional<Request> asked;
    Answer answer;
    Ending ending = Ending::Commit;
    std::exception_ptr failure;

    Dialogue get_return_object() { return Dialogue(Handle::from_promise(*this)); }
    std::suspend_always initial_suspend() const noexcept { return {}; }
    std::suspend_always final_suspend() const noexcept { return {}; }
    Question await_transform(Request request) {
      asked = std::move(request);
      return {*this};
    }
    void return_value(Ending how) noexcept { ending = how; }
    void unhandled_exception() noexcept { failure = std::current_exception(); }
  };

  Dialogue(Dialogue&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Dialogue& operator=(Dialogue&&) = delete;
  ~Dialogue() override {
    if (handle_) handle_.destroy();
  }

  std::optional<Request> next() override;
  void complete(const Request&, const Answer& answer) override { handle_.promise().answer = answer; }
  bool aborts() const override { return handle_.promise().ending == Ending::Abort; }

 private:
  explicit Dialogue(Handle handle) : handle_(handle) {}

  Handle handle_;
};

std::unique_ptr<Script> script_of(Dialogue dialogue);
// Sends the requests in order, regardless of the responses.
std::unique_ptr<Script> script_of(std::vector<Request> requests);

}  // namespace serval
