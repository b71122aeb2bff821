#include "serval/workload/dialogue.h"

namespace serval {
namespace {

Dialogue ask_all(std::vector<Request> requests) {
  for (const Request& request : requests) co_await request;
  co_return Ending::Commit;
}

}  // namespace

Answer Dialogue::Question::await_resume() const { return std::move(promise.answer); }

std::optional<Request> Dialogue::next() {
  promise_type& promise = handle_.promise();
  promise.asked.reset();
  if (!handle_.done()) handle_.resume();
  if (promise.failure) std::rethrow_exception(promise.failure);
  return promise.asked;
}

std::unique_ptr<Script> script_of(Dialogue dialogue) {
  return std::make_unique<Dialogue>(std::move(dialogue));
}

std::unique_ptr<Script> script_of(std::vector<Request> requests) {
  return script_of(ask_all(std::move(requests)));
}

}  // namespace serval
