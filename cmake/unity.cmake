# Full builds compile several sources at once (SERVAL_UNITY): a third of the processor time. The debug
# preset does not, so that one change compiles one source. Files whose private names clash with those of
# others are compiled alone; cmake/apart.txt lists them.

option(SERVAL_UNITY "Compile several sources at once" OFF)
set(SERVAL_SINGLE "" CACHE STRING "Rooms whose sources are still compiled one by one (tools/mutate.py)")
file(STRINGS "${PROJECT_SOURCE_DIR}/cmake/apart.txt" SERVAL_APART REGEX "^[a-z]")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/cmake/apart.txt")

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
