# The targets heddle::runtime and heddle::instrumented. Included by heddle-config.cmake.
if(TARGET heddle::runtime)
  return()
endif()

add_library(heddle::runtime SHARED IMPORTED)
set_target_properties(heddle::runtime PROPERTIES IMPORTED_LOCATION "${heddle_LIBRARY}" IMPORTED_NO_SONAME FALSE
                      IMPORTED_SONAME libheddle.so INTERFACE_INCLUDE_DIRECTORIES "${heddle_INCLUDE_DIR}")

add_library(heddle::instrumented INTERFACE IMPORTED)
target_link_libraries(heddle::instrumented INTERFACE heddle::runtime)
# The runtime comes before every other library, so that its functions take precedence. -fsanitize=thread is for
# compilations only: at link time it would add the compiler's own runtime.
target_link_options(heddle::instrumented INTERFACE
                    "LINKER:--push-state,--no-as-needed,${heddle_LIBRARY},--pop-state" -pthread "LINKER:--build-id")
target_compile_options(heddle::instrumented INTERFACE -g)

# The options are those that `heddle c++` passes; the command knows them for each compiler.
foreach(_heddle_compiler "gcc;GNU" "clang;Clang")
  list(GET _heddle_compiler 0 _heddle_name)
  list(GET _heddle_compiler 1 _heddle_id)
  execute_process(COMMAND "${heddle_EXECUTABLE}" help --compile-options ${_heddle_name} OUTPUT_VARIABLE _heddle_options
                  RESULT_VARIABLE _heddle_result OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT _heddle_result EQUAL 0)
    message(FATAL_ERROR "${heddle_EXECUTABLE} cannot be run: ${_heddle_result}; install heddle again")
  endif()
  string(REPLACE "\n" " " _heddle_options "${_heddle_options}")
  foreach(_heddle_language C CXX)
    target_compile_options(heddle::instrumented INTERFACE
                           "$<$<COMPILE_LANG_AND_ID:${_heddle_language},${_heddle_id}>:SHELL:${_heddle_options}>")
  endforeach()
endforeach()
# gcc takes no precompiled header after another header. heddle_add_test and heddle_discover_tests precompile this one with
# the others.
set(_heddle_precompiles "$<OR:$<BOOL:$<TARGET_PROPERTY:PRECOMPILE_HEADERS>>,$<BOOL:$<TARGET_PROPERTY:PRECOMPILE_HEADERS_REUSE_FROM>>>")
foreach(_heddle_language C CXX)
  target_compile_options(heddle::instrumented INTERFACE
    "$<$<AND:$<COMPILE_LANG_AND_ID:${_heddle_language},GNU>,$<NOT:${_heddle_precompiles}>>:SHELL:-include \"${heddle_INCLUDE_DIR}/heddle/gcc_builtins.h\">")
endforeach()
