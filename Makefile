# A thin front over the CMake presets of CMakePresets.json; everything it does can be done with cmake and ctest alone.
#
#   make demo    sets up, builds, finds a bug in an example and replays it      make test    sets up, builds, runs all tests
#   make setup   installs the Debian packages that are missing                  make build   leaves build/bin/heddle
#   make release leaves build-release/bin/heddle, about a tenth faster           make soak    the tests with full numbers (hours)
#   make bench   prints speeds and ratios of that one
#   make bench-instructions   counts the instructions of an execution            make bench-verify   prints the speed of the exhaustive search
#   make test-no-fast-paths   all tests on a build without shortcuts, and a comparison with the one that takes them
#   make tables  the PCTWM paper's tables and figures, theirs and ours
#   make format  clang-format, in place                                         make lint    clang-format and clang-tidy, checking

JOBS ?= $(shell nproc)

.PHONY: all setup build demo test release bench bench-instructions bench-verify tables soak test-no-fast-paths format lint clean

all: build

setup:
	@scripts/setup

# Ninja runs cmake again by itself when a CMakeLists.txt has changed; only the first time is ours.
build: setup
	@test -f build/build.ninja || cmake --preset default
	@cmake --build --preset default --parallel $(JOBS)

# The tool alone, without its tests: a first bug should not take long.
demo: setup
	@test -f build/build.ninja || cmake --preset default
	@cmake --build --preset default --parallel $(JOBS) --target heddle heddle_runtime
	@scripts/demo

test: build
	@ctest --preset default --parallel $(JOBS)

release: setup
	@JOBS=$(JOBS) scripts/release

bench bench-instructions: release
	@cmake --build --preset release --target $@

bench-verify tables: build
	@cmake --build --preset default --target $@

soak: build
	@ctest --preset soak
	@$(MAKE) test-no-fast-paths

test-no-fast-paths: build
	@test -f build-no-fast-paths/build.ninja || cmake --preset no-fast-paths
	@cmake --build --preset no-fast-paths --parallel $(JOBS)
	@ctest --preset no-fast-paths --parallel $(JOBS)
	@python3 tests/system/fast_paths.py --build build --without build-no-fast-paths

format: setup
	@git ls-files -z '*.c' '*.cpp' '*.h' '*.hpp' | xargs -0 clang-format -i

lint: build
	@git ls-files -z '*.c' '*.cpp' '*.h' '*.hpp' | xargs -0 clang-format --dry-run --Werror
	@mkdir -p build/lint # clang-tidy refuses what only gcc knows
	@sed -E 's/ -fno-tree-loop-distribute-patterns//g; s/ -mmemset-strategy=[^ "]*//g' build/compile_commands.json > build/lint/compile_commands.json
	@git ls-files -z 'src/*.cpp' | xargs -0 -n 1 -P $(JOBS) clang-tidy -p build/lint --quiet --extra-arg=-Wno-ignored-optimization-argument --warnings-as-errors='*'

clean:
	@rm -rf build build-release build-no-fast-paths
