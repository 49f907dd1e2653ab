#include <gtest/gtest.h>

#include "findings/stack_ends.hpp"
#include "report/terminal.hpp"
#include "report/text.hpp"

namespace heddle::report {
namespace {

using findings::Frame;

Frame frame(const char* function, const char* module = "prog", const char* file = "/src/prog.cpp") {
  return {function, file, 1, 2, module, 16, false};
}

std::vector<std::string> trimmed(std::vector<Frame> frames) {
  findings::trim_stack(frames);
  std::vector<std::string> names;
  for (const Frame& f : frames) names.push_back(f.function);
  return names;
}

using Names = std::vector<std::string>;

TEST(Stacks, LoseHeddleAndStartUpAtTheirEndsOnly) {
  EXPECT_EQ(trimmed({frame("memcpy", "libheddle.so"), frame("f()"), frame("pthread_once", "libheddle.so"),
                     frame("main"), frame("__libc_start_main", "libc.so.6", "")}),
            (Names{"f()", "pthread_once", "main"}));
  EXPECT_EQ(trimmed({frame("worker()"), frame("void std::__invoke_impl<void, void (*)()>(x)"),
                     frame("std::thread::_State_impl<x>::_M_run()"), frame("run", "libheddle.so")}),
            Names{"worker()"});
}

TEST(Stacks, KeepSomething) {
  EXPECT_EQ(trimmed({frame("std::thread::join()", "libstdc++.so.6", ""), frame("run", "libheddle.so")}),
            Names{"std::thread::join()"});
  EXPECT_EQ(trimmed({frame("run", "libheddle.so")}), Names{"run"});
}

TEST(FunctionNames, AreShortenedOnlyWhereTheyAreLong) {
  EXPECT_EQ(short_function_name("f(std::vector<int>)"), "f(std::vector<int>)");
  const std::string string = "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >";
  EXPECT_EQ(short_function_name("f(" + string + ")"), "f(std::string)");
  const std::string list(90, 'x');
  EXPECT_EQ(short_function_name("std::map<" + list + ">::erase(int)"), "std::map<...>::erase(int)");
  EXPECT_EQ(short_function_name("bool operator<<" + list), "bool operator<<" + list);
  EXPECT_EQ(short_function_name("a<" + list + "> f(" + list + ")"), "a<...> f(...)");
}

TEST(Terminal, FoldsRecursion) {
  findings::Finding finding;
  finding.kind = findings::FindingKind::stack_overflow;
  finding.message = "the stack of the thread is full";
  finding.stack.frames.assign(50, frame("f()"));
  const std::string text = finding_text(finding, 0, Colour::never);
  EXPECT_NE(text.find("#0 f() /src/prog.cpp:1:2\n       (and 49 times more)\n"), std::string::npos) << text;
}

}  // namespace
}  // namespace heddle::report
