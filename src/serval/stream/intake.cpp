#include "serval/stream/intake.h"

namespace serval {

bool Intake::start_with(const std::function<void(RecordBatch&)>& add, const std::string& meaning,
                        const Facts& facts) {
  const std::lock_guard lock(mutex_);
  for (const auto& [name, text] : facts) facts_.emplace(name, text);
  if (overridden_) return true;
  if (meaning_) return *meaning_ == meaning;
  meaning_ = meaning;
  add(initial_->batch());
  for (Record& record : initial_->batch().records()) record.kind = RecordKind::Initial;
  initial_->close();
  return true;
}

void Intake::start_with_unknown() {
  const auto add = [](RecordBatch& batch) {
    batch.set_rows(batch.add(), {{.key = {}, .value = TraceValue::unknown(), .column = {}}});
  };
  start_with(add, "unknown", {});
  const std::lock_guard lock(mutex_);
  overridden_ = true;
}

Intake::Facts Intake::facts() const {
  const std::lock_guard lock(mutex_);
  return facts_;
}

bool Intake::started() const {
  const std::lock_guard lock(mutex_);
  return meaning_.has_value();
}

}  // namespace serval
