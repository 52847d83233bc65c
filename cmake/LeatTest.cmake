# leat_test(name SOURCES a.cpp ... LIBRARIES leat_core_log ...): a Catch2 executable, one ctest test. Catch2 2 and 3
# both do.
add_library(leat_test_main STATIC "${CMAKE_SOURCE_DIR}/test/support/catch_main.cpp"
  "${CMAKE_SOURCE_DIR}/test/support/test_data.cpp")
target_link_libraries(leat_test_main PUBLIC leat::compiler Catch2::Catch2 fmt::fmt)
set(LEAT_CATCH_HEADER <catch2/catch.hpp>)
if(Catch2_VERSION VERSION_GREATER_EQUAL 3)
  target_compile_definitions(leat_test_main PUBLIC LEAT_CATCH_3=1)
  set(LEAT_CATCH_HEADER <catch2/catch_all.hpp>)
endif()
# What every test parses, parsed once a preset: with Catch2 alone a test takes three times as long to compile. One
# compiled header serves all tests, so all are compiled with the same flags (position independence is the compiler's
# default: CMake would give programs and libraries flags of their own).
target_precompile_headers(leat_test_main PRIVATE ${LEAT_CATCH_HEADER} <algorithm> <chrono> <filesystem> <functional>
  <map> <memory> <optional> <set> <string> <string_view> <unordered_map> <variant> <vector> <fmt/format.h>)
set_target_properties(leat_test_main PROPERTIES POSITION_INDEPENDENT_CODE OFF LEAT_IS_TEST ON)
set_source_files_properties("${CMAKE_SOURCE_DIR}/test/support/catch_main.cpp" PROPERTIES
  SKIP_PRECOMPILE_HEADERS ON)
# In one file only: an absolute path in every command line would keep ccache from serving another checkout.
set_source_files_properties("${CMAKE_SOURCE_DIR}/test/support/test_data.cpp" PROPERTIES
  COMPILE_DEFINITIONS "LEAT_TEST_DATA=\"${CMAKE_SOURCE_DIR}/test/data\"")

function(leat_test name)
  cmake_parse_arguments(ARG "" "TIMEOUT" "SOURCES;LIBRARIES" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE leat_test_main ${ARG_LIBRARIES})
  target_precompile_headers(${name} REUSE_FROM leat_test_main)
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF LEAT_IS_TEST ON)
  add_test(NAME ${name} COMMAND ${name})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 300)
  endif()
  if(LEAT_SANITIZE)
    math(EXPR ARG_TIMEOUT "${ARG_TIMEOUT} * 3")
  endif()
  set_tests_properties(${name} PROPERTIES TIMEOUT ${ARG_TIMEOUT})
endfunction()
