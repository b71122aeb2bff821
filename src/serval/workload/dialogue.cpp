#include "serval/workload/dialogue.h"

namespace serval {
namespace {

class SpokenScript final : public Script {
 public:
  explicit SpokenScript(Dialogue dialogue) : dialogue_(std::move(dialogue)) {}

  std::optional<Request> next() override { return dialogue_.next(); }
  void complete(const Request&, const Answer& answer) override { dialogue_.complete(answer); }
  bool aborts() const override { return dialogue_.ending() == Ending::Abort; }

 private:
  Dialogue dialogue_;
};

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
  return std::make_unique<SpokenScript>(std::move(dialogue));
}

std::unique_ptr<Script> script_of(std::vector<Request> requests) {
  return script_of(ask_all(std::move(requests)));
}

}  // namespace serval
