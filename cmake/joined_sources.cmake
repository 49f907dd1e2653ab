# Joined sources: the compiler reads several sources of a library as one file, and so the headers of fmt, JSON and the C++
# library once for all of them. This halves the time of a build from scratch.
#
# Names in anonymous namespaces must differ between sources that are joined. ALONE names the sources whose names clash with
# another one. If two sources clash that did not before ("redefinition of ..."), rename one of the two, or add a source here.
#
# They are joined with a compiler cache too: otherwise names would clash only in a build without one.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(default ON)
else()
  set(default OFF)
endif()
option(HEDDLE_JOIN_SOURCES "Compile several sources at once: faster from scratch, slower after a small change" ${default})
if(NOT HEDDLE_JOIN_SOURCES)
  return()
endif()

# A local variable may have the name of a constant of another source.
target_compile_options(heddle_options INTERFACE -Wno-shadow)

function(heddle_join target)
  cmake_parse_arguments(PARSE_ARGV 1 join "" "" ALONE)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE BATCH UNITY_BUILD_BATCH_SIZE 12)
  if(join_ALONE)
    get_target_property(folder ${target} SOURCE_DIR)
    list(TRANSFORM join_ALONE PREPEND ${folder}/)
    set_source_files_properties(${join_ALONE} TARGET_DIRECTORY ${target} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endif()
endfunction()

heddle_join(heddle_campaign)
heddle_join(heddle_cli ALONE command_merge.cpp command_minimize.cpp command_predict.cpp command_replay.cpp command_results.cpp command_show.cpp command_stress.cpp
            completion.cpp installation.cpp)
heddle_join(heddle_exploration)
heddle_join(heddle_findings ALONE lasting_key.cpp)
heddle_join(heddle_graph)
heddle_join(heddle_litmus ALONE expectations.cpp parser.cpp thread_parser.cpp)
heddle_join(heddle_picture ALONE picture_json.cpp svg_layout.cpp)
heddle_join(heddle_races)
heddle_join(heddle_report ALONE sarif.cpp terminal.cpp)
heddle_join(heddle_story ALONE linearise.cpp lost_wakeup.cpp missing_edges.cpp)
heddle_join(heddle_stress ALONE litmus_session.cpp report.cpp)
heddle_join(heddle_trace)
