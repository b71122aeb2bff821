# serval_room(NAME [THIRD_PARTY lib...] [WITHOUT folder...]): one static library per folder of src/serval, linked to
# exactly the rooms that its line in tools/rooms.txt allows. Sources are every .cpp below the folder, except
# folders whose library this machine lacks.

file(STRINGS "${PROJECT_SOURCE_DIR}/tools/rooms.txt" SERVAL_ROOM_LINES REGEX "^[a-z]+:")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tools/rooms.txt")

function(serval_room name)
  cmake_parse_arguments(ROOM "" "" "THIRD_PARTY;WITHOUT" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cpp")
  foreach(folder IN LISTS ROOM_WITHOUT)
    list(FILTER sources EXCLUDE REGEX "/${name}/${folder}/")
  endforeach()
  set(allowed "")
  foreach(line IN LISTS SERVAL_ROOM_LINES)
    if(line MATCHES "^${name}:(.*)$")
      separate_arguments(allowed UNIX_COMMAND "${CMAKE_MATCH_1}")
    endif()
  endforeach()
  list(TRANSFORM allowed PREPEND serval_)
  if(NOT sources)  # Headers only.
    add_library(serval_${name} INTERFACE)
    target_include_directories(serval_${name} INTERFACE "${PROJECT_SOURCE_DIR}/src")
    target_link_libraries(serval_${name} INTERFACE serval_options ${allowed})
    return()
  endif()
  add_library(serval_${name} STATIC ${sources})
  serval_unity(serval_${name})
  if("fmt::fmt" IN_LIST ROOM_THIRD_PARTY)
    serval_precompiled(serval_${name})
  endif()
  target_include_directories(serval_${name} PUBLIC "${PROJECT_SOURCE_DIR}/src")
  target_link_libraries(serval_${name} PUBLIC serval_options ${allowed}
                        PRIVATE ${ROOM_THIRD_PARTY})
endfunction()
