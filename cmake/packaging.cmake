# What `cmake --install` installs beside the command and its library, and the Debian package that `cpack` makes.
include(CMakePackageConfigHelpers)

# Manual pages, completions and files for pkg-config, which the command has written (src/cli/CMakeLists.txt).
set(generated ${PROJECT_BINARY_DIR}/generated)
install(DIRECTORY ${generated}/share/ DESTINATION ${CMAKE_INSTALL_DATADIR})
install(DIRECTORY ${generated}/${CMAKE_INSTALL_LIBDIR}/pkgconfig DESTINATION ${CMAKE_INSTALL_LIBDIR})

install(DIRECTORY include/heddle DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES gdb/heddle.py DESTINATION ${CMAKE_INSTALL_DATADIR}/heddle/gdb)
install(FILES README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs)
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR})

# find_package(heddle): once for the build folder, once for installations.
set(scripts heddle-targets.cmake heddle-functions.cmake heddle-discover-tests.cmake)
list(TRANSFORM scripts PREPEND ${PROJECT_SOURCE_DIR}/cmake/)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cmake/heddle-config-version.cmake COMPATIBILITY SameMinorVersion)
foreach(script IN LISTS scripts)
  configure_file(${script} ${PROJECT_BINARY_DIR}/cmake COPYONLY)
endforeach()
set(heddle_command ${PROJECT_BINARY_DIR}/bin/heddle)
set(heddle_library ${PROJECT_BINARY_DIR}/lib/libheddle.so)
set(heddle_include ${PROJECT_SOURCE_DIR}/include)
configure_package_config_file(cmake/heddle-config.cmake.in ${PROJECT_BINARY_DIR}/cmake/heddle-config.cmake
                              INSTALL_DESTINATION ${PROJECT_BINARY_DIR}/cmake INSTALL_PREFIX ${PROJECT_BINARY_DIR}
                              PATH_VARS heddle_command heddle_library heddle_include)
set(heddle_command ${CMAKE_INSTALL_BINDIR}/heddle)
set(heddle_library ${CMAKE_INSTALL_LIBDIR}/libheddle.so)
set(heddle_include ${CMAKE_INSTALL_INCLUDEDIR})
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/heddle)
configure_package_config_file(cmake/heddle-config.cmake.in ${PROJECT_BINARY_DIR}/installed-cmake/heddle-config.cmake
                              INSTALL_DESTINATION ${package_folder}
                              PATH_VARS heddle_command heddle_library heddle_include)
install(FILES ${PROJECT_BINARY_DIR}/installed-cmake/heddle-config.cmake
              ${PROJECT_BINARY_DIR}/cmake/heddle-config-version.cmake ${scripts} DESTINATION ${package_folder})

# cpack -G DEB. dpkg-shlibdeps names the packages of the libraries that the command uses.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME heddle)
set(CPACK_PACKAGE_CONTACT "The heddle developers <heddle@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "finds the concurrency bugs of C and C++ programs")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "Heddle compiles an unmodified program with the instrumentation of gcc or clang, runs it
many times under its own scheduler and its own model of C++20 memory, and reports data races, failed assertions, crashes,
deadlocks, livelocks and misuse of the heap, each with a trace that replays it.")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "g++ | clang")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "gdb, cmake, pkg-config")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
# The plugins for MPI are packages of their own, so that the command does not depend on MPI.
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_NAME heddle)
foreach(flavour OPENMPI MPICH)
  string(TOLOWER ${flavour} name)
  set(CPACK_DEBIAN_${flavour}_PACKAGE_NAME heddle-${name})
  set(CPACK_DEBIAN_${flavour}_PACKAGE_DEPENDS "heddle (= ${PROJECT_VERSION})")
  set(CPACK_DEBIAN_${flavour}_PACKAGE_RECOMMENDS "")
  set(CPACK_COMPONENT_${flavour}_DESCRIPTION "The plugin with which heddle runs on several machines, under ${name}.")
endforeach()
include(CPack)
