# Compiler settings of every room: C++20, warnings are errors, sanitizers by LEAT_SANITIZE, ccache when present.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
# ENSURE does not depend on NDEBUG; release keeps line tables so that perf and core dumps can be read.
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -g1 -DNDEBUG")
set(CMAKE_CXX_FLAGS_DEBUG "-O1 -g1")

find_program(LEAT_CCACHE ccache)
if(LEAT_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # The sloppiness is what ccache asks for before it serves files that use a precompiled header.
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND};-E;env;CCACHE_BASEDIR=${CMAKE_SOURCE_DIR};CCACHE_NOHASHDIR=1"
    "CCACHE_SLOPPINESS=pch_defines,time_macros;${LEAT_CCACHE}")
endif()

add_library(leat_compiler INTERFACE)
add_library(leat::compiler ALIAS leat_compiler)
target_compile_options(leat_compiler INTERFACE -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual
  -Wcast-align -Wconversion -Wno-sign-conversion -Werror -fno-omit-frame-pointer)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 reports these inside coroutines and std::vector where clang and newer g++ see nothing.
  target_compile_options(leat_compiler INTERFACE -Wno-maybe-uninitialized -Wno-stringop-overflow -Wno-array-bounds
    -Wno-restrict -Wno-dangling-pointer -Wno-free-nonheap-object)
endif()
target_include_directories(leat_compiler INTERFACE "${CMAKE_SOURCE_DIR}")
if(LEAT_SANITIZE)
  string(REPLACE "," ";" sanitizers "${LEAT_SANITIZE}")
  foreach(sanitizer IN LISTS sanitizers)
    set(option -fsanitize=${sanitizer})
    if(sanitizer STREQUAL "undefined")
      # What a test itself does is not what UBSan is for, and a quarter of the time that compiling it takes.
      set(option $<$<NOT:$<BOOL:$<TARGET_PROPERTY:LEAT_IS_TEST>>>:${option}>)
    endif()
    target_compile_options(leat_compiler INTERFACE ${option})
  endforeach()
  target_link_options(leat_compiler INTERFACE -fsanitize=${LEAT_SANITIZE})
  # Some rooms get it from a package, and those could not share a compiled header with the others.
  target_compile_options(leat_compiler INTERFACE -pthread)
  if(LEAT_SANITIZE MATCHES "undefined")
    # ASan stops at a null pointer as well; with these three every second instruction is a check, and compiling takes
    # a quarter longer.
    target_compile_options(leat_compiler INTERFACE -fno-sanitize-recover=undefined
      -fno-sanitize=null,vptr,object-size)
  endif()
  if(LEAT_SANITIZE MATCHES "thread" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(leat_compiler INTERFACE -Wno-tsan)
  endif()
endif()
