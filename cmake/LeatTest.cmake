# leat_test(name SOURCES a.cpp ... LIBRARIES leat_core_log ...): a Catch2 executable, one ctest test. Catch2 2 and 3
# both do.
add_library(leat_test_main STATIC "${CMAKE_SOURCE_DIR}/test/support/catch_main.cpp"
  "${CMAKE_SOURCE_DIR}/test/support/test_data.cpp")
target_link_libraries(leat_test_main PUBLIC leat::compiler Catch2::Catch2)
if(Catch2_VERSION VERSION_GREATER_EQUAL 3)
  target_compile_definitions(leat_test_main PUBLIC LEAT_CATCH_3=1)
endif()
# In one file only: an absolute path in every command line would keep ccache from serving another checkout.
set_source_files_properties("${CMAKE_SOURCE_DIR}/test/support/test_data.cpp" PROPERTIES
  COMPILE_DEFINITIONS "LEAT_TEST_DATA=\"${CMAKE_SOURCE_DIR}/test/data\"")

function(leat_test name)
  cmake_parse_arguments(ARG "" "TIMEOUT" "SOURCES;LIBRARIES" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE leat_test_main ${ARG_LIBRARIES})
  # What a test itself does is not what UBSan is for, and a quarter of the time that compiling it takes. Here, because
  # the options of a source are the last ones.
  if(LEAT_SANITIZE MATCHES "undefined")
    set_source_files_properties(${ARG_SOURCES} PROPERTIES COMPILE_OPTIONS -fno-sanitize=undefined)
  endif()
  add_test(NAME ${name} COMMAND ${name})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 300)
  endif()
  if(LEAT_SANITIZE)
    math(EXPR ARG_TIMEOUT "${ARG_TIMEOUT} * 3")
  endif()
  set_tests_properties(${name} PROPERTIES TIMEOUT ${ARG_TIMEOUT})
endfunction()
