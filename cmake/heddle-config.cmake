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
find_path(heddle_INCLUDE_DIR heddle/gcc_builtins.h PATHS "${_heddle_root}/include" "${_heddle_root}/../include" NO_DEFAULT_PATH)
find_package_handle_standard_args(heddle REQUIRED_VARS heddle_EXECUTABLE heddle_LIBRARY heddle_INCLUDE_DIR)

if(heddle_FOUND AND NOT TARGET heddle::runtime)
  add_library(heddle::runtime SHARED IMPORTED)
  set_target_properties(heddle::runtime PROPERTIES IMPORTED_LOCATION "${heddle_LIBRARY}")

  add_library(heddle::instrumented INTERFACE IMPORTED)
  target_link_libraries(heddle::instrumented INTERFACE heddle::runtime)
  # For compilation only: at link time -fsanitize=thread would add the compiler's own runtime.
  target_compile_options(heddle::instrumented INTERFACE -fsanitize=thread -g)
  # What `heddle c++` passes too: docs/cli.md says why.
  target_compile_options(heddle::instrumented INTERFACE "$<$<CXX_COMPILER_ID:Clang>:SHELL:-mllvm -tsan-distinguish-volatile>")
  set(_heddle_gcc_options -Wno-tsan "SHELL:--param tsan-distinguish-volatile=1" "SHELL:-include ${heddle_INCLUDE_DIR}/heddle/gcc_builtins.h")
  foreach(_heddle_function memcpy mempcpy memmove memset bzero memcmp bcmp strcpy stpcpy strncpy stpncpy strcat strncat strcmp
                           strncmp sprintf snprintf)
    list(APPEND _heddle_gcc_options -fno-builtin-${_heddle_function})
  endforeach()
  foreach(_heddle_option IN LISTS _heddle_gcc_options)
    target_compile_options(heddle::instrumented INTERFACE "$<$<CXX_COMPILER_ID:GNU>:${_heddle_option}>")
  endforeach()
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
