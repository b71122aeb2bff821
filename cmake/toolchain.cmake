# Compiler, linker, warnings and third-party libraries shared by every target.

find_package(fmt REQUIRED)
find_package(absl REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(zstd REQUIRED)
find_package(ZLIB REQUIRED)

find_program(SERVAL_CCACHE ccache)
if(SERVAL_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Without this, ccache passes by every file that uses a precompiled header.
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env CCACHE_SLOPPINESS=pch_defines,time_macros "${SERVAL_CCACHE}")
endif()

add_library(serval_options INTERFACE)
if(PROJECT_IS_TOP_LEVEL)  # A project that embeds Serval has warnings of its own.
  target_compile_options(serval_options INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror)
endif()
# g++ 12 reports std::string concatenation as overlapping or endless copies (GCC bugs 105651 and 105329), and the
# alternatives that a moved std::variant does not hold as uninitialized.
target_compile_options(serval_options INTERFACE -Wno-restrict -Wno-stringop-overflow -Wno-maybe-uninitialized)
# Garbage collection takes g++ a tenth of its time for a unit of several sources. Without it, such a unit needs up to
# 1 GB instead of 0.7.
if(PROJECT_IS_TOP_LEVEL AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(serval_options INTERFACE --param=ggc-min-heapsize=1000000)
endif()
# clang compiles the fuzz targets; its warnings are not those that the code is held to.
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  target_compile_options(serval_options INTERFACE -w)
endif()
# Designated initialisers that leave the defaulted members alone are house style.
target_compile_options(serval_options INTERFACE -Wno-missing-field-initializers)
if(SERVAL_SANITIZE)
  target_compile_options(serval_options INTERFACE -fsanitize=${SERVAL_SANITIZE} -fno-omit-frame-pointer
                                                  -fno-sanitize-recover=all)
  target_link_options(serval_options INTERFACE -fsanitize=${SERVAL_SANITIZE})
  # A check of every pointer before it is used takes a third of the build. The address sanitizer also finds what
  # it would find at address 0, and the use of a pointer that overflowed.
  if(SERVAL_SANITIZE MATCHES "undefined")
    target_compile_options(serval_options INTERFACE -fno-sanitize=null,alignment,vptr,pointer-overflow)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")  # Of coroutines it makes code that its assembler refuses.
      target_compile_options(serval_options INTERFACE -fno-sanitize=function)
    endif()
  endif()
endif()
find_program(SERVAL_MOLD mold)
if(SERVAL_MOLD)
  target_link_options(serval_options INTERFACE -fuse-ld=mold)
endif()
