# find_package(heddle), for projects whose tests use heddle. Works from the build folder (heddle_DIR=build/cmake) and from an
# installation.
#
#   heddle_add_test(NAME queue_test SOURCES queue_test.cpp [LIBRARIES ...] [OPTIONS -n 5000 -s random ...])
#
# builds an instrumented executable of that name with the project's own compiler and registers `heddle test OPTIONS` on it
# with ctest. The imported target heddle::runtime is the library to link by hand; heddle::instrumented adds the compiler flags.
get_filename_component(_heddle_root "${CMAKE_CURRENT_LIST_DIR}" DIRECTORY)
if(NOT EXISTS "${_heddle_root}/bin/heddle") # installed: <prefix>/lib*/cmake/heddle
  get_filename_component(_heddle_root "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
  while(NOT EXISTS "${_heddle_root}/bin/heddle" AND NOT _heddle_root STREQUAL "/")
    get_filename_component(_heddle_root "${_heddle_root}" DIRECTORY)
  endwhile()
endif()
find_program(heddle_EXECUTABLE heddle PATHS "${_heddle_root}/bin" NO_DEFAULT_PATH)
find_library(heddle_LIBRARY heddle PATHS "${_heddle_root}" PATH_SUFFIXES lib lib/x86_64-linux-gnu NO_DEFAULT_PATH)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(heddle REQUIRED_VARS heddle_EXECUTABLE heddle_LIBRARY)

if(heddle_FOUND AND NOT TARGET heddle::runtime)
  add_library(heddle::runtime SHARED IMPORTED)
  set_target_properties(heddle::runtime PROPERTIES IMPORTED_LOCATION "${heddle_LIBRARY}")

  add_library(heddle::instrumented INTERFACE IMPORTED)
  target_link_libraries(heddle::instrumented INTERFACE heddle::runtime)
  # For compilation only: at link time -fsanitize=thread would add the compiler's own runtime.
  target_compile_options(heddle::instrumented INTERFACE -fsanitize=thread -g
                         $<$<CXX_COMPILER_ID:GNU>:-Wno-tsan> $<$<CXX_COMPILER_ID:GNU>:-fno-builtin-memset>)
endif()

function(heddle_add_test)
  cmake_parse_arguments(ARG "" "NAME" "SOURCES;LIBRARIES;OPTIONS" ${ARGN})
  if(NOT ARG_NAME OR NOT ARG_SOURCES)
    message(FATAL_ERROR "heddle_add_test needs NAME and SOURCES")
  endif()
  add_executable(${ARG_NAME} ${ARG_SOURCES})
  target_link_libraries(${ARG_NAME} PRIVATE ${ARG_LIBRARIES} heddle::instrumented)
  add_test(NAME ${ARG_NAME} COMMAND ${heddle_EXECUTABLE} test ${ARG_OPTIONS} $<TARGET_FILE:${ARG_NAME}>)
endfunction()
