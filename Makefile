# A thin front over the CMake presets of CMakePresets.json; everything it does can be done with cmake and ctest alone.
#
#   make setup                installs the Debian packages that are missing, those for tests too
#   make build                leaves build/bin/heddle; installs only what heddle itself needs
#   make demo                 builds, finds a bug in an example and replays it
#   make release              leaves build-release/bin/heddle, about a tenth faster
#   make format               formats the sources
#
#   make test                 installs what is missing, builds, and runs all tests
#   make ci                   make test, lint, test-sanitizers and test-clang: for a release
#   make lint                 checks the sources with clang-format and clang-tidy
#   make test-sanitizers      runs the unit tests under AddressSanitizer and UndefinedBehaviorSanitizer
#   make test-clang           compares a heddle that clang has compiled with the one that gcc has compiled
#   make test-no-fast-paths   runs all tests on a build without fast paths, and compares it with the one that has them
#   make soak                 runs the tests with full numbers (hours)
#
#   make bench                prints the speed of the release build
#   make bench-instructions   counts the instructions of an execution
#   make bench-verify         prints the speed of the exhaustive search
#   make real-bugs            runs heddle, and ThreadSanitizer, on real bugs of other projects
#   make tables               prints the tables and figures of the papers, published and measured here, and writes benchmarks/tables/output.txt

JOBS ?= $(shell nproc)

.PHONY: all setup setup-tool build build-all demo release format test ci lint test-sanitizers test-clang test-no-fast-paths soak bench \
        bench-instructions bench-verify real-bugs tables clean

all: build

setup:
	@scripts/setup

setup-tool:
	@scripts/setup --tool

# Ninja runs cmake again by itself when a CMakeLists.txt has changed, so cmake is called only the first time.
build: setup-tool
	@test -f build/build.ninja || cmake --preset tool
	@cmake --build --preset default --parallel $(JOBS)

# The build folder may be configured for the tool alone.
build-all: setup
	@grep -qs '^HEDDLE_BUILD_TESTS:BOOL=ON' build/CMakeCache.txt && test -f build/build.ninja || cmake --preset default
	@cmake --build --preset default --parallel $(JOBS)

demo: setup-tool
	@test -f build/build.ninja || cmake --preset tool
	@cmake --build --preset default --parallel $(JOBS) --target heddle heddle_runtime
	@scripts/demo

release: setup-tool
	@JOBS=$(JOBS) scripts/release

format: setup
	@git ls-files -z '*.c' '*.cpp' '*.h' '*.hpp' | xargs -0 clang-format -i

test: build-all
	@scripts/keep_talking ctest --preset default --parallel $(JOBS)

ci:
	@$(MAKE) --no-print-directory test
	@$(MAKE) --no-print-directory lint
	@$(MAKE) --no-print-directory test-sanitizers
	@$(MAKE) --no-print-directory test-clang

# clang-tidy reads single sources (cmake/joined_sources.cmake), and refuses options that only gcc knows: it reads a copy of the
# compile commands without them.
lint: build-all
	@git ls-files -z '*.c' '*.cpp' '*.h' '*.hpp' | xargs -0 clang-format --dry-run --Werror
	@cmake --preset default -B build/single-sources -DHEDDLE_JOIN_SOURCES=OFF > /dev/null
	@mkdir -p build/lint
	@sed -E 's/ -fno-tree-loop-distribute-patterns//g; s/ -mmem(set|cpy)-strategy=[^ "]*//g' build/single-sources/compile_commands.json \
	  > build/lint/compile_commands.json
	@git ls-files -z 'src/*.cpp' | xargs -0 -n 1 -P $(JOBS) clang-tidy -p build/lint --quiet \
	  --extra-arg=-Wno-ignored-optimization-argument --warnings-as-errors='*'

# Without the runtime, which lives inside other programs: sanitizers would need their own runtime there. Without the test
# that runs fibers: AddressSanitizer takes what an abandoned fiber left on its stack for objects that are alive.
test-sanitizers: setup
	@test -f build-sanitizers/build.ninja || cmake --preset sanitizers
	@cmake --build --preset sanitizers --parallel $(JOBS) --target heddle_unit_tests heddle_driver_unit_tests
	@build-sanitizers/bin/heddle_unit_tests --gtest_brief=1 --gtest_filter=-Scheduling.*
	@build-sanitizers/bin/heddle_driver_unit_tests --gtest_brief=1

test-clang: build-all
	@test -f build-clang/build.ninja || cmake --preset clang
	@cmake --build --preset clang --parallel $(JOBS) --target heddle heddle_runtime
	@tests/system/same_results.py --quick --build build-clang --reference build

test-no-fast-paths: build-all
	@test -f build-no-fast-paths/build.ninja || cmake --preset no-fast-paths
	@cmake --build --preset no-fast-paths --parallel $(JOBS)
	@ctest --preset no-fast-paths --parallel $(JOBS)
	@python3 tests/system/fast_paths.py --build build --without build-no-fast-paths

soak: build-all
	@ctest --preset soak
	@$(MAKE) --no-print-directory test-no-fast-paths

bench bench-instructions: setup release
	@cmake --build --preset release --target $@

bench-verify real-bugs tables: build-all
	@cmake --build --preset default --target $@

clean:
	@rm -rf build build-clang build-no-fast-paths build-release build-sanitizers
