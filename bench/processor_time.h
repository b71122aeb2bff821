#pragma once
// Processor time of this process: other work on the machine does not count.
//
//   const double seconds = seconds_of([&] { work(); });

#include <ctime>

namespace serval {

inline double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

template <class Work>
double seconds_of(const Work& work) {
  const double start = processor_seconds();
  work();
  return processor_seconds() - start;
}

}  // namespace serval
