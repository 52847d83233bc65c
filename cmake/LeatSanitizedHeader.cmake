# Sanitized builds are for running tests: what every source parses is parsed once for all libraries. Release builds have
# no such header, so that each source proves there that it includes what it uses.
function(leat_targets_below directory found)
  get_property(targets DIRECTORY "${directory}" PROPERTY BUILDSYSTEM_TARGETS)
  get_property(folders DIRECTORY "${directory}" PROPERTY SUBDIRECTORIES)
  foreach(folder IN LISTS folders)
    leat_targets_below("${folder}" below)
    list(APPEND targets ${below})
  endforeach()
  set(${found} "${targets}" PARENT_SCOPE)
endfunction()

# For the end of the top-level file, when every target is there. Tests have a header of their own (LeatTest.cmake).
function(leat_share_sanitized_header)
  set(empty "${CMAKE_BINARY_DIR}/sanitized_header.cpp")
  file(CONFIGURE OUTPUT "${empty}" CONTENT "")
  add_library(leat_sanitized_header OBJECT "${empty}")
  target_link_libraries(leat_sanitized_header PRIVATE leat::compiler fmt::fmt)
  target_include_directories(leat_sanitized_header SYSTEM PRIVATE "${EXPECTED_INCLUDE}")
  target_precompile_headers(leat_sanitized_header PRIVATE <algorithm> <array> <atomic> <chrono> <coroutine> <deque>
    <functional> <map> <memory> <optional> <set> <span> <string> <string_view> <unordered_map> <utility> <variant>
    <vector> <fmt/format.h> <tl/expected.hpp>)
  foreach(room core net server client cli)
    if(EXISTS "${CMAKE_BINARY_DIR}/${room}")  # TSan builds go without cli
      leat_targets_below("${CMAKE_SOURCE_DIR}/${room}" targets)
      foreach(target IN LISTS targets)
        get_target_property(type ${target} TYPE)
        if(type STREQUAL "STATIC_LIBRARY")
          target_precompile_headers(${target} REUSE_FROM leat_sanitized_header)
        endif()
      endforeach()
    endif()
  endforeach()
endfunction()
