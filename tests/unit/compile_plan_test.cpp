#include "cli/compile_plan.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "cli/compiler_arguments.hpp"
#include "command.hpp"

namespace heddle::cli {
namespace {

std::vector<std::string> words(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

std::string joined(const CommandLine& line) {
  std::string text;
  for (const std::string& word : line) text += (text.empty() ? "" : " ") + word;
  return text;
}

#if defined(__x86_64__)
const std::string direct_calls = " -fno-plt";
#else
const std::string direct_calls;
#endif
const std::string gcc_flags =
    "-fsanitize=thread --param tsan-distinguish-volatile=1 -Wno-tsan -fno-builtin-memcpy -fno-builtin-mempcpy "
    "-fno-builtin-memmove -fno-builtin-memset "
    "-fno-builtin-bzero "
    "-fno-builtin-memcmp -fno-builtin-bcmp -fno-builtin-strcpy -fno-builtin-stpcpy -fno-builtin-strncpy "
    "-fno-builtin-stpncpy -fno-builtin-strcat -fno-builtin-strncat -fno-builtin-strcmp -fno-builtin-strncmp "
    "-fno-builtin-sprintf -fno-builtin-snprintf" +
    direct_calls;
const std::string clang_flags =
    "-fsanitize=thread -mllvm -tsan-distinguish-volatile" + direct_calls +
    " -mllvm -simplifycfg-sink-common=false -mllvm -simplifycfg-hoist-common=false -mllvm -enable-tail-merge=false";
const std::string link_start = "-Wl,--push-state,--no-as-needed /h/lib/libheddle.so -Wl,--pop-state";
const std::string link_end = "-pthread -Wl,-rpath,/h/lib -Wl,--build-id";

std::vector<std::string> plan(const std::string& arguments, bool clang = false) {
  const Toolchain toolchain{{"CC"}, clang, "/h/lib/libheddle.so", ""};
  const auto result = plan_compilation(words(arguments), toolchain, [] { return std::string("/tmp/s"); });
  if (!result) return {"problem: " + result.problem().text};
  std::vector<std::string> lines;
  for (const CommandLine& line : result->steps) lines.push_back(joined(line));
  return lines;
}

using Lines = std::vector<std::string>;

TEST(CompilePlan, ACompilationIsInstrumented) {
  EXPECT_EQ(plan("-O2 -c a.cpp -o a.o"), Lines{"CC " + gcc_flags + " -g -O2 -c a.cpp -o a.o"});
  EXPECT_EQ(plan("-c a.cpp", true), Lines{"CC " + clang_flags + " -g -c a.cpp"});
  EXPECT_EQ(plan("-S a.c b.c"), Lines{"CC " + gcc_flags + " -g -S a.c b.c"});
  EXPECT_EQ(plan("-E -x c++ -"), Lines{"CC " + gcc_flags + " -g -E -x c++ -"});
  EXPECT_EQ(plan("-MM a.c"), Lines{"CC " + gcc_flags + " -g -MM a.c"});
}

TEST(CompilePlan, APrecompiledHeaderComesBeforeTheHeaderOfHeddle) {
  const std::string folder = testing::TempDir() + "heddle-precompiled";
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/all.hpp.gch") << "precompiled";
  const Toolchain toolchain{{"CC"}, false, "/h/lib/libheddle.so", "/h/include"};
  const auto line = [&](const std::string& arguments) {
    const auto result = plan_compilation(words(arguments), toolchain, [] { return std::string("/tmp/s"); });
    return joined(result->steps[0]);
  };
  const std::string forced = " -include heddle/gcc_builtins.h";
  const std::string start = "CC " + gcc_flags,
                    middle = " -g -idirafter /h/include -idirafter /h/include/heddle/compatibility ";
  const std::string header = "-include " + folder + "/all.hpp";
  EXPECT_EQ(line(header + " -c a.cpp"), start + middle + header + " -c a.cpp" + forced);
  EXPECT_EQ(line("-I" + folder + " -include all.hpp -c a.cpp"),
            start + middle + "-I" + folder + " -include all.hpp -c a.cpp" + forced);
  EXPECT_EQ(line("-include other.hpp -c a.cpp"), start + forced + middle + "-include other.hpp -c a.cpp");
  // The header that is precompiled contains heddle's.
  EXPECT_EQ(line(header + " -x c++-header -c all.cxx"), start + forced + middle + header + " -x c++-header -c all.cxx");
  std::filesystem::remove_all(folder);
}

TEST(CompilePlan, APluginIsForCompilationsOnly) {
  const Toolchain toolchain{{"CC"}, true, "/h/lib/libheddle.so", "", "/h/lib/heddle/p.so"};
  const auto result = plan_compilation(words("a.c b.o -o a"), toolchain, [] { return std::string("/tmp/s"); });
  ASSERT_TRUE(result);
  ASSERT_EQ(result->steps.size(), 2U);
  EXPECT_NE(joined(result->steps[0]).find(" -fpass-plugin=/h/lib/heddle/p.so "), std::string::npos);
  EXPECT_EQ(joined(result->steps[1]).find("-fpass-plugin"), std::string::npos);
}

TEST(CompilerArguments, TheOptionPlainIsTakenOutAndChecked) {
  std::vector<std::string> arguments = words("-O1 --plain=relaxed -c a.c --plainly");
  const auto relaxed = take_plain_option(arguments);
  ASSERT_TRUE(relaxed);
  EXPECT_EQ(*relaxed, PlainMode::relaxed);
  EXPECT_EQ(arguments, words("-O1 -c a.c --plainly"));
  const auto without = take_plain_option(arguments);
  ASSERT_TRUE(without);
  EXPECT_EQ(*without, PlainMode::plain);
  for (const char* wrong : {"--plain", "--plain=", "--plain=acquire"}) {
    arguments = words(std::string("-c a.c ") + wrong);
    const auto refused = take_plain_option(arguments);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.problem().exit_code, ExitCode::wrong_usage);
  }
}

TEST(CompilePlan, TheUsersDebugOptionIsKept) {
  EXPECT_EQ(plan("-g3 -c a.c"), Lines{"CC " + gcc_flags + " -g3 -c a.c"});
  EXPECT_EQ(plan("-g0 -c a.c"), Lines{"CC " + gcc_flags + " -g0 -c a.c"});
}

TEST(CompilePlan, ALinkGetsTheLibraryInsteadOfTheSanitizer) {
  EXPECT_EQ(plan("-fsanitize=thread a.o -o p -lm"), Lines{"CC " + link_start + " a.o -o p -lm " + link_end});
  EXPECT_EQ(plan("-fsanitize=undefined,thread a.o"),
            Lines{"CC " + link_start + " -fsanitize=undefined a.o " + link_end});
  EXPECT_EQ(plan("-shared a.o -o l.so"), Lines{"CC " + link_start + " -shared a.o -o l.so " + link_end});
}

TEST(CompilePlan, CompilingAndLinkingIsSplitAndKeepsTheOrder) {
  EXPECT_EQ(
      plan("-O1 -Iinc a.cpp x.o b/a.cpp -Llib -lfoo y.a -o p -Wl,-z,now"),
      (Lines{"CC " + gcc_flags + " -g -O1 -Iinc -c a.cpp -o /tmp/s/0-a.o",
             "CC " + gcc_flags + " -g -O1 -Iinc -c b/a.cpp -o /tmp/s/1-a.o",
             "CC " + link_start + " -O1 /tmp/s/0-a.o x.o /tmp/s/1-a.o -Llib -lfoo y.a -o p -Wl,-z,now " + link_end}));
}

TEST(CompilePlan, LanguagesStayWithTheirSources) {
  EXPECT_EQ(
      plan("-x c a -x none b.cpp -l foo"),
      (Lines{"CC " + gcc_flags + " -g -x c -c a -o /tmp/s/0-a.o", "CC " + gcc_flags + " -g -c b.cpp -o /tmp/s/1-b.o",
             "CC " + link_start + " /tmp/s/0-a.o /tmp/s/1-b.o -l foo " + link_end}));
}

TEST(CompilePlan, ValuesThatLookLikeSourcesAreNone) {
  EXPECT_EQ(plan("-include x.c -D A.c -o out.c a.c"),
            (Lines{"CC " + gcc_flags + " -g -include x.c -D A.c -c a.c -o /tmp/s/0-a.o",
                   "CC " + link_start + " -o out.c /tmp/s/0-a.o " + link_end}));
}

TEST(CompilePlan, DependencyFilesAreNamedAsWithoutUs) {
  EXPECT_EQ(plan("-MD a.cpp -o p")[0], "CC " + gcc_flags + " -g -MD -MF p-a.d -MT a.o -c a.cpp -o /tmp/s/0-a.o");
  EXPECT_EQ(plan("-MD -MF x.d a.cpp -o p")[0], "CC " + gcc_flags + " -g -MD -MF x.d -c a.cpp -o /tmp/s/0-a.o");
}

TEST(CompilePlan, QuestionsPassUntouched) {
  for (const char* question : {"--version", "-v", "-dumpversion", "-print-search-dirs", "-###", "--help"}) {
    EXPECT_EQ(plan(question), Lines{std::string("CC ") + question});
  }
}

TEST(CompilePlan, StaticLinksAreRefused) {
  EXPECT_EQ(plan("-static a.c"), Lines{"problem: heddle needs a dynamically linked program: leave out -static"});
  EXPECT_EQ(plan("-static -c a.c").size(), 1u);
}

TEST(CompilePlan, PartialLinksGetNoLibrary) { EXPECT_EQ(plan("-r a.o b.o -o c.o"), Lines{"CC -r a.o b.o -o c.o"}); }

TEST(CompilePlan, HeadersArePrecompiled) { EXPECT_EQ(plan("a.hpp"), Lines{"CC " + gcc_flags + " -g a.hpp"}); }

TEST(CompilePlan, GccInstrumentsTooLateWithLto) {
  EXPECT_EQ(plan("-flto -c a.c"), Lines{"CC " + gcc_flags + " -g -flto -c a.c -fno-lto"});
  EXPECT_EQ(plan("-flto -c a.c", true), Lines{"CC " + clang_flags + " -g -flto -c a.c"});
}

TEST(CompilePlan, AMissingLibraryIsSaid) {
  const auto result = plan_compilation({"a.o"}, {{"CC"}, false, "", ""}, [] { return std::string("/tmp/s"); });
  ASSERT_FALSE(result);
  EXPECT_NE(result.problem().text.find("libheddle.so"), std::string::npos);
}

TEST(ResponseFiles, AreExpandedAsGccDoes) {
  const tests::TemporaryFolder folder;
  tests::write_text(folder.file("inner"), "-c");
  tests::write_text(folder.file("r"), "-DA='x y' \"q\\\"r\"\n a\\ b.c @" + folder.file("inner"));
  EXPECT_EQ(expand_response_files({"-O", "@" + folder.file("r"), "@missing"}),
            (Lines{"-O", "-DA=x y", "q\"r", "a b.c", "-c", "@missing"}));
}

}  // namespace
}  // namespace heddle::cli
