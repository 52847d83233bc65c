# Every header compiles alone. One that has a .cpp of its own is that file's first include (the tidy test sees to it),
# which proves it; for each other one this makes a source that includes nothing else. Not part of `all`: `./dev test`
# builds it. The glob is the point here, a header that nobody listed is checked as well; sources of the product are
# always listed.
file(GLOB_RECURSE headers RELATIVE "${CMAKE_SOURCE_DIR}" CONFIGURE_DEPENDS
  "${CMAKE_SOURCE_DIR}/core/*.h" "${CMAKE_SOURCE_DIR}/net/*.h" "${CMAKE_SOURCE_DIR}/server/*.h"
  "${CMAKE_SOURCE_DIR}/client/*.h" "${CMAKE_SOURCE_DIR}/cli/*.h" "${CMAKE_SOURCE_DIR}/benchmarks/*.h"
  "${CMAKE_SOURCE_DIR}/test/*.h")
set(header_sources "")
foreach(header IN LISTS headers)
  string(REGEX REPLACE "\\.h$" ".cpp" own_source "${header}")
  if(NOT EXISTS "${CMAKE_SOURCE_DIR}/${own_source}")
    set(generated "${CMAKE_BINARY_DIR}/header_check/${own_source}")
    file(CONFIGURE OUTPUT "${generated}" CONTENT "#include \"${header}\"\n#include \"${header}\"\n")
    list(APPEND header_sources "${generated}")
  endif()
endforeach()
add_library(leat_header_check OBJECT EXCLUDE_FROM_ALL ${header_sources})
target_link_libraries(leat_header_check PRIVATE leat::compiler leat_test_main leat_core leat_net fmt::fmt CLI11::CLI11
  spdlog::spdlog nlohmann_json::nlohmann_json PkgConfig::libuv)
target_include_directories(leat_header_check PRIVATE "${CMAKE_SOURCE_DIR}/client/include")
target_compile_options(leat_header_check PRIVATE -O0 -g0)
