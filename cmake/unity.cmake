# Full builds compile several sources at once (SERVAL_UNITY): a third of the processor time. The debug
# preset does not, so that one change compiles one source. Files whose private names clash with those of
# others are compiled alone; cmake/apart.txt lists them. Sanitized builds also precompile the headers of
# the libraries (decision 013).

option(SERVAL_UNITY "Compile several sources at once" OFF)
set(SERVAL_SINGLE "" CACHE STRING "Rooms whose sources are still compiled one by one (tools/mutate.py)")
file(STRINGS "${PROJECT_SOURCE_DIR}/cmake/apart.txt" SERVAL_APART REGEX "^[a-z]")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/cmake/apart.txt")

if(SERVAL_UNITY AND SERVAL_SANITIZE)
  file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/precompiled.cpp" "")
  add_library(serval_headers OBJECT "${CMAKE_CURRENT_BINARY_DIR}/precompiled.cpp")
  target_link_libraries(serval_headers PRIVATE serval_options fmt::fmt)
  target_precompile_headers(serval_headers PRIVATE
    <algorithm> <array> <atomic> <charconv> <chrono> <cstdint> <cstring> <deque> <fstream> <functional>
    <limits> <map> <memory> <mutex> <optional> <ranges> <set> <span> <sstream> <stdexcept> <string>
    <string_view> <thread> <tuple> <utility> <variant> <vector>
    <absl/container/flat_hash_map.h> <absl/container/flat_hash_set.h> <fmt/format.h>)
endif()

# serval_precompiled(TARGET): the target uses these headers. Only for targets that link fmt, because a
# precompiled header is valid only with the macros that it was made with. Not in optimised builds: there
# g++ 12 raises false alarms about code from a precompiled header.
function(serval_precompiled target)
  string(REPLACE "serval_" "" room "${target}")
  if(TARGET serval_headers AND NOT room IN_LIST SERVAL_SINGLE)
    target_precompile_headers(${target} REUSE_FROM serval_headers)
  endif()
endfunction()

function(serval_unity target)
  string(REPLACE "serval_" "" room "${target}")
  if(NOT SERVAL_UNITY OR room IN_LIST SERVAL_SINGLE)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 12)
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    file(RELATIVE_PATH name "${PROJECT_SOURCE_DIR}" "${source}")
    if(name IN_LIST SERVAL_APART)
      set_source_files_properties("${source}" PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    endif()
  endforeach()
endfunction()
