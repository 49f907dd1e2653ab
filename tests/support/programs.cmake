# Registers programs as tests; programs/run.py reads what to expect in the program's head.
find_package(Python3 REQUIRED COMPONENTS Interpreter)

set(HEDDLE_PYTHON_TEST_ARGUMENTS --build ${PROJECT_BINARY_DIR} --cache ${PROJECT_BINARY_DIR}/tests/cache)
set(HEDDLE_RUN_PROGRAM ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/programs/run.py ${HEDDLE_PYTHON_TEST_ARGUMENTS})

# heddle_add_program_test(name source label arguments of run.py...)
function(heddle_add_program_test name source label)
  if(label STREQUAL "soak")
    add_test(NAME ${name} CONFIGURATIONS soak COMMAND ${HEDDLE_RUN_PROGRAM} ${ARGN} ${source})
    set_tests_properties(${name} PROPERTIES LABELS soak TIMEOUT 7200)
  else()
    add_test(NAME ${name} COMMAND ${HEDDLE_RUN_PROGRAM} ${ARGN} ${source})
    set_tests_properties(${name} PROPERTIES LABELS ${label} TIMEOUT ${HEDDLE_TEST_GUARD})
  endif()
endfunction()

# heddle_add_programs(group source...): each source for gcc in full, for clang with a quarter of the executions of the
# clean programs. The soak test runs those 100,000 times under each strategy, replays every trace 100 times, and takes
# other clangs.
function(heddle_add_programs group)
  foreach(source IN LISTS ARGN)
    get_filename_component(name ${source} NAME)
    get_filename_component(path ${source} ABSOLUTE)
    set(test ${group}.${name})
    file(STRINGS ${path} only_gcc REGEX "^// heddle-only: gcc")
    file(STRINGS ${path} only_clang REGEX "^// heddle-only: clang")
    if(NOT only_clang)
      heddle_add_program_test(${test}.gcc ${path} programs --compiler gcc --determinism)
      heddle_add_program_test(${test}.gcc.soak ${path} soak --compiler gcc --replays 100 --all-ways)
    endif()
    file(STRINGS ${path} clean REGEX "^// heddle: clean")
    if(clean AND NOT only_clang)
      add_test(NAME ${test}.strategies.soak CONFIGURATIONS soak
               COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/programs/every_strategy.py
                       ${HEDDLE_PYTHON_TEST_ARGUMENTS} --runs 100000 ${path})
      set_tests_properties(${test}.strategies.soak PROPERTIES LABELS soak TIMEOUT 36000)
    endif()
    if(NOT only_gcc)
      heddle_add_program_test(${test}.clang ${path} programs --compiler clang --replays 1 --scale-clean 0.25)
      foreach(version 16 19)
        heddle_add_program_test(${test}.clang-${version}.soak ${path} soak --compiler clang-${version} --replays 1)
      endforeach()
    endif()
  endforeach()
endfunction()
