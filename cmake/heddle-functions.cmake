# heddle_add_test and heddle_discover_tests. Included by heddle-config.cmake; docs/projects.md describes them.

set(_heddle_run_flags VERIFY)
set(_heddle_run_values STRATEGY MODEL RUNS TIME SEED JOBS WORKING_DIRECTORY)
set(_heddle_run_lists ARGS OPTIONS)

# Sets <result> to the words of `heddle test ...` in front of the program, from the parsed arguments ARG_... of the caller.
macro(_heddle_command result)
  set(${result} "${heddle_EXECUTABLE}" test)
  if(ARG_VERIFY)
    set(${result} "${heddle_EXECUTABLE}" verify)
  endif()
  foreach(_heddle_option STRATEGY MODEL RUNS TIME SEED JOBS)
    if(DEFINED ARG_${_heddle_option})
      string(TOLOWER ${_heddle_option} _heddle_name)
      list(APPEND ${result} --${_heddle_name} "${ARG_${_heddle_option}}")
    endif()
  endforeach()
  list(APPEND ${result} ${ARG_OPTIONS})
endmacro()

function(_heddle_instrument target)
  get_target_property(libraries ${target} LINK_LIBRARIES)
  if(NOT "heddle::instrumented" IN_LIST libraries)
    target_link_libraries(${target} PRIVATE heddle::instrumented)
  endif()
  get_target_property(headers ${target} PRECOMPILE_HEADERS)
  if(headers AND NOT headers MATCHES "heddle/gcc_builtins.h")
    set_property(TARGET ${target} PROPERTY PRECOMPILE_HEADERS "${heddle_INCLUDE_DIR}/heddle/gcc_builtins.h" ${headers})
  endif()
endfunction()

# heddle_add_test(target [SOURCES ...] [LIBRARIES ...] [NAME name] [ARGS ...] [VERIFY]
#                 [STRATEGY s] [MODEL m] [RUNS n] [TIME t] [SEED n] [JOBS n] [OPTIONS ...] [WORKING_DIRECTORY folder])
#
# Instruments the executable `target`, which SOURCES and LIBRARIES create if there is none yet, and adds a test that runs
# it under `heddle test`, or `heddle verify`.
function(heddle_add_test)
  # The older form: heddle_add_test(NAME queue_test SOURCES ...).
  set(arguments ${ARGN})
  if(ARGC GREATER 1 AND ARGV0 STREQUAL "NAME" AND NOT TARGET NAME)
    list(REMOVE_AT arguments 0)
  endif()
  list(POP_FRONT arguments target)
  cmake_parse_arguments(ARG "${_heddle_run_flags}" "NAME;${_heddle_run_values}" "SOURCES;LIBRARIES;${_heddle_run_lists}"
                        ${arguments})
  if(ARG_UNPARSED_ARGUMENTS OR NOT target)
    message(FATAL_ERROR "heddle_add_test(${ARGV}): write heddle_add_test(target ...); it does not know '${ARG_UNPARSED_ARGUMENTS}'")
  endif()
  if(ARG_SOURCES)
    add_executable(${target} ${ARG_SOURCES})
    target_link_libraries(${target} PRIVATE ${ARG_LIBRARIES})
  elseif(NOT TARGET ${target})
    message(FATAL_ERROR "heddle_add_test(${target}): there is no target ${target}; call add_executable first, or name SOURCES")
  endif()
  if(NOT DEFINED ARG_NAME)
    set(ARG_NAME ${target})
  endif()
  _heddle_instrument(${target})
  _heddle_command(command)
  set(folder)
  if(ARG_WORKING_DIRECTORY)
    set(folder WORKING_DIRECTORY "${ARG_WORKING_DIRECTORY}")
  endif()
  add_test(NAME ${ARG_NAME} COMMAND ${command} $<TARGET_FILE:${target}> ${ARG_ARGS} ${folder})
  set_property(TEST ${ARG_NAME} APPEND PROPERTY LABELS heddle)
endfunction()

# heddle_discover_tests(target [FRAMEWORK gtest|catch2] [TEST_PREFIX text] [TEST_SUFFIX text] [TEST_FILTER filter] [ARGS ...]
#                       [VERIFY] [STRATEGY s] [MODEL m] [RUNS n] [TIME t] [SEED n] [JOBS n] [OPTIONS ...]
#                       [WORKING_DIRECTORY folder] [PROPERTIES name value ...] [DISCOVERY_MODE POST_BUILD|PRE_TEST]
#                       [DISCOVERY_TIMEOUT seconds])
#
# Instruments the executable `target`, and adds a test for each test case of GoogleTest or Catch2 in it, which runs this
# test case under `heddle test`. The cases are listed when the target has been built (POST_BUILD), or when ctest runs
# (PRE_TEST). A program that calls heddle::check is run without `heddle test`: its checks control the executions.
function(heddle_discover_tests target)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "${_heddle_run_flags}"
    "FRAMEWORK;TEST_PREFIX;TEST_SUFFIX;TEST_FILTER;DISCOVERY_MODE;DISCOVERY_TIMEOUT;${_heddle_run_values}"
    "PROPERTIES;${_heddle_run_lists}")
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "heddle_discover_tests(${target}): it does not know '${ARG_UNPARSED_ARGUMENTS}'")
  endif()
  if(NOT TARGET ${target})
    message(FATAL_ERROR "heddle_discover_tests(${target}): there is no target ${target}; call add_executable first")
  endif()
  if(NOT ARG_DISCOVERY_MODE)
    set(ARG_DISCOVERY_MODE POST_BUILD)
  endif()
  if(NOT ARG_DISCOVERY_MODE MATCHES "^(POST_BUILD|PRE_TEST)$")
    message(FATAL_ERROR "heddle_discover_tests(${target}): DISCOVERY_MODE is POST_BUILD or PRE_TEST, not ${ARG_DISCOVERY_MODE}")
  endif()
  if(NOT ARG_FRAMEWORK)
    set(ARG_FRAMEWORK auto)
  endif()
  if(NOT ARG_FRAMEWORK MATCHES "^(auto|gtest|catch2)$")
    message(FATAL_ERROR "heddle_discover_tests(${target}): FRAMEWORK is gtest or catch2, not ${ARG_FRAMEWORK}")
  endif()
  if(NOT ARG_DISCOVERY_TIMEOUT)
    set(ARG_DISCOVERY_TIMEOUT 60)
  endif()
  if(NOT ARG_WORKING_DIRECTORY)
    set(ARG_WORKING_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}")
  endif()
  _heddle_instrument(${target})
  _heddle_command(ARG_COMMAND)

  # The settings of the discovery script, one file for each configuration.
  set(base "${CMAKE_CURRENT_BINARY_DIR}/${target}-heddle")
  set(settings "set(target [==[${target}]==])\nset(program [==[$<TARGET_FILE:${target}>]==])\n")
  string(APPEND settings "set(tests_file [==[${base}-$<CONFIG>-tests.cmake]==])\n")
  foreach(name FRAMEWORK TEST_PREFIX TEST_SUFFIX TEST_FILTER DISCOVERY_TIMEOUT WORKING_DIRECTORY ARGS PROPERTIES COMMAND)
    string(TOLOWER ${name} variable)
    string(APPEND settings "set(${variable} [==[${ARG_${name}}]==])\n")
  endforeach()
  file(GENERATE OUTPUT "${base}-$<CONFIG>-settings.cmake" CONTENT "${settings}")

  if(ARG_DISCOVERY_MODE STREQUAL POST_BUILD)
    add_custom_command(TARGET ${target} POST_BUILD VERBATIM
                       COMMAND "${CMAKE_COMMAND}" "-Dsettings=${base}-$<CONFIG>-settings.cmake" -P "${heddle_DISCOVERY_SCRIPT}"
                       BYPRODUCTS "${base}-$<CONFIG>-tests.cmake" COMMENT "Listing the tests of ${target}")
  endif()
  file(WRITE "${base}-include.cmake" "set(heddle_configuration \"\${CTEST_CONFIGURATION_TYPE}\")
if(heddle_configuration STREQUAL \"\")
  set(heddle_configuration [==[${CMAKE_BUILD_TYPE}]==])
endif()
set(heddle_base \"${base}-\${heddle_configuration}\")
if(\"${ARG_DISCOVERY_MODE}\" STREQUAL \"PRE_TEST\")
  execute_process(COMMAND \"${CMAKE_COMMAND}\" \"-Dsettings=\${heddle_base}-settings.cmake\" -P \"${heddle_DISCOVERY_SCRIPT}\")
endif()
if(EXISTS \"\${heddle_base}-tests.cmake\")
  include(\"\${heddle_base}-tests.cmake\")
else()
  add_test(${target}_NOT_BUILT ${target}_NOT_BUILT)
endif()
")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${base}-include.cmake")
endfunction()
