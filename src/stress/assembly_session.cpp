#include "stress/assembly_session.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "stress/process.hpp"

namespace heddle::stress {

namespace {

constexpr std::size_t batch_size = 100;
constexpr const char* known_machine = "x86_64";

/// The functions of the tests, or the problem.
Result<std::map<std::string, std::vector<std::string>>> compile_to_assembly(const LitmusSettings& settings,
                                                                            std::span<const LitmusTest> tests,
                                                                            const Compiler& compiler,
                                                                            const std::string& level) {
  const TemporaryFolder folder;
  const std::string source = folder.file("litmus.c"), assembly = folder.file("litmus.s");
  if (!folder.exists() || !write_text(source, thread_functions(tests, false)))
    return test_problem("a temporary file could not be written");
  std::vector<std::string> command =
      c_command(compiler, {level, settings.common.flags, settings.common.include}, source);
  command.emplace_back("-S");
  if (const auto error = compile(command, assembly))
    return test_problem(fmt::format("the litmus tests from {} on do not compile with {} -{}: {}", tests[0].test.name,
                                    compiler.name, level, *error));
  return functions_in(read_text(assembly));
}

}  // namespace

void compare_assembly(const LitmusSettings& settings, const std::vector<LitmusTest>& tests,
                      const AssemblyListener& listener) {
  const auto complain = [&](const std::string& problem) {
    if (listener.on_problem && !is_interrupted()) listener.on_problem(problem);
  };
  for (const std::string& name : settings.common.compilers) {
    const auto compiler = find_compiler(name);
    if (!compiler) {
      complain(compiler.problem().text);
      continue;
    }
    if (compiler->machine != known_machine) {
      complain(fmt::format("the assembly of {} is not compared: it is for {}, and heddle reads that of x86_64 only",
                           name, compiler->machine));
      continue;
    }
    for (const std::string& level : settings.common.levels) {
      const std::span<const LitmusTest> all(tests);
      for (std::size_t first = 0; first < all.size() && !is_interrupted(); first += batch_size) {
        const auto batch = all.subspan(first, std::min(batch_size, all.size() - first));
        const auto functions = compile_to_assembly(settings, batch, *compiler, level);
        if (!functions) {
          complain(functions.problem().text);
          break;
        }
        for (std::size_t i = 0; i < batch.size(); ++i)
          listener.on_result({name, level, &batch[i], check_assembly(batch[i], fmt::format("t{}", i), *functions)});
      }
    }
  }
}

std::optional<AssemblyCheck> assembly_of(const LitmusSettings& settings, const LitmusTest& test,
                                         const std::string& name, const std::string& level) {
  const auto compiler = find_compiler(name);
  if (!compiler || compiler->machine != known_machine) return std::nullopt;
  const auto functions = compile_to_assembly(settings, {&test, 1}, *compiler, level);
  if (!functions) return std::nullopt;
  return check_assembly(test, "t0", *functions);
}

}  // namespace heddle::stress
