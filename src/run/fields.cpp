#include "run/fields.hpp"

#include <type_traits>

namespace heddle::run {

namespace {

using R = RunSpecification;

template <auto member>
std::uint64_t get(const R& specification) {
  using Value = std::remove_cvref_t<decltype(specification.*member)>;
  if constexpr (std::is_same_v<Value, std::chrono::milliseconds>)
    return static_cast<std::uint64_t>((specification.*member).count());
  else
    return static_cast<std::uint64_t>(specification.*member);
}

template <auto member>
void set(R& specification, std::uint64_t number) {
  using Value = std::remove_cvref_t<decltype(specification.*member)>;
  if constexpr (std::is_same_v<Value, std::chrono::milliseconds>)
    specification.*member = std::chrono::milliseconds(static_cast<std::int64_t>(number));
  else
    specification.*member = static_cast<Value>(number);
}

template <auto member>
Text* text_of(R& specification) {
  return &(specification.*member);
}

template <auto member>
constexpr Member text{Type::text, text_of<member>};
template <auto member>
constexpr Member path{Type::path, text_of<member>};
template <auto member>
constexpr Member choice{Type::choice, nullptr, get<member>, set<member>};
template <auto member>
constexpr Member number{Type::number, nullptr, get<member>, set<member>};
template <auto member>
constexpr Member size{Type::size, nullptr, get<member>, set<member>};
template <auto member>
constexpr Member duration{Type::duration, nullptr, get<member>, set<member>};
template <auto member>
constexpr Member flag{Type::flag, nullptr, get<member>, set<member>};
// The strategy, to which the parameter is added, is the member of a parameter.
constexpr Member parameter(std::string_view name) {
  return {Type::parameter, text_of<&R::strategy>, nullptr, nullptr, name};
}
constexpr Member flag_parameter(std::string_view name) {
  return {Type::flag_parameter, text_of<&R::strategy>, nullptr, nullptr, name};
}

using O = heddle_options;
constexpr int cpp20 = 0, by_order = 0, plain = 0, free = 0, automatic = 0, zero = 0, none = 0, first = 0, report = 1,
              findings = 0;  // positions in the list of values
constexpr int rare = 1;
constexpr unsigned everywhere = test | verify | litmus | check | trace | json;
constexpr unsigned every_program = everywhere & ~litmus;
constexpr std::uint64_t gib = std::uint64_t{1} << 30;
constexpr Range any{}, positive{1}, job_numbers{1, 1024}, parameters{1, 999'999'999}, switches{0, 999'999'999},
    run_numbers{1, 100'000}, lengths{4, 16}, trial_numbers{1, 10'000}, exit_codes{0, 255};

// Options that few runs need, and why they stay: --checkpoint, since the state of a large campaign takes long to write;
// --trial-runs, since a trial of a rare cycle needs more executions; --print-graphs, since it needs no Graphviz;
// --dot-graphs, since a search that finds nothing has graphs to look at, too.
//
// Help texts are phrases without a full stop; {models} and {strategies} stand for the registered names. The order is
// that of help pages and documentation. The strategy comes first: parameters are added to it.
// clang-format off
constexpr Field table[] = {
    // name              letter type and member               values                        default       range        where it applies                heddle_options
    {"strategy",         's',   text<&R::strategy>,           "NAME[:key=value,...]",       "auto",       any,         test | check | trace | json,    &O::strategy,
     "how to choose what happens next: {strategies}"},
    {"strategy",         's',   text<&R::strategy>,           "exhaustive[:key=value,...]", "exhaustive", any,         verify,                         {},
     "the search, with parameters: {parameters}"},
    {"strategy",         's',   text<&R::strategy>,           "NAME[:key=value,...]",       "exhaustive", any,         litmus,                         {},
     "{strategies}"},
    {"model",            'm',   text<&R::model>,              "NAME",                       "rc11",       any,         everywhere | change_orders,                     &O::model,
     "memory model: {models}"},
    {"model",            'm',   text<&R::model>,              "NAME,...",                   "tso,pso,pslo,rc11", any,  predict,                        {},
     "memory models, separated by commas: {models}"},
    {"release-sequence", '\0',  choice<&R::release_sequence>, "cpp20|c11",                  cpp20,        any,         everywhere | change_orders,                     &O::release_sequence_c11,
     "c11: later stores of the same thread continue a release sequence ({models with sequences})"},
    {"rmw",              '\0',  choice<&R::rmw>,              "by-order|full",              by_order,     any,         everywhere | predict | change_orders,           &O::full_rmw,
     "{models with barriers}: full makes every read-modify-write a full barrier, as on x86; by-order goes by its memory order"},
    {"volatile",         '\0',  choice<&R::volatiles>,        "plain|relaxed",              plain,        any,         every_program | predict | change_orders,        &O::relaxed_volatile,
     "relaxed: volatile accesses are relaxed atomics, so they do not race, and the model may reorder them"},
    {"orders",           '\0',  text<&R::orders>,             "PLACE=ORDER,...",            "",           any,         test | verify | trace | json,   {},
     "run with other memory orders than those of the program: FILE:LINE[:COLUMN][/OPERATION]=ORDER"},
    {"time-model",       '\0',  choice<&R::time_model>,       "free|strict",                free,         any,         test | check | trace | json | change_orders,    &O::strict_time,
     "free: a sleep or a timed wait may end while another thread can run; strict: only when no thread can"},
    {"spurious",         '\0',  choice<&R::spurious>,         "none|rare|free",             rare,         any,         test | trace | json | change_orders,            {},
     "whether a wait for a condition variable may end for no reason; rare: in one of four executions"},
    {"runs",             'n',   number<&R::runs>,             "N",                          1000,         any,         test | check,                   &O::executions,
     "executions; 0: no limit but --time; with --time or exhaustive search, the default is 0"},
    {"runs",             'n',   number<&R::runs>,             "N",                          0,            any,         verify,                         {},
     "stop after this number of executions"},
    {"runs",             'n',   number<&R::runs>,             "N",                          20000,        any,         litmus,                         {},
     "executions of each test by a sampling strategy"},
    {"runs",             'n',   number<&R::runs>,             "N",                          100,          run_numbers, predict,                        {},
     "executions under sc, from which cycles are predicted"},
    {"runs",             'n',   number<&R::runs>,             "N",                          1000,         run_numbers, change_orders,                  {},
     "executions by auto for orders whose search does not end within --search"},
    {"cycle-length",     '\0',  number<&R::cycle_length>,     "N",                          4,            lengths,     predict,                        {},
     "the longest cycles, in accesses: an even number"},
    {"trials",           '\0',  number<&R::trials>,           "N",                          30,           trial_numbers, predict,                      {},
     "trials of each cycle under each model"},
    {"trial-runs",       '\0',  number<&R::trial_runs>,       "N",                          100,          trial_numbers, predict,                      {},
     "executions of a trial, at most: it ends with the first one that has the cycle"},
    {"cycle",            '\0',  text<&R::cycle>,              "TEXT",                       "",           any,         trace,                          {},
     "the cycle that the execution had"},
    {"racy-sites",       '\0',  text<&R::racy_sites>,         "TEXT",                       "",           any,         trace,                          {},
     "the plain accesses that race and are events of the execution"},
    {"time",             't',   duration<&R::time>,           "TIME",                       0,            positive,    test | verify | check | change_orders,          &O::seconds,
     "stop after this time: 500ms, 10s, 2m, 1h; a plain number is seconds"},
    {"jobs",             'j',   number<&R::jobs>,             "N",                          1,            job_numbers, test | verify | aside | change_orders,          {},
     "worker processes"},
    {"jobs",             'j',   number<&R::jobs>,             "N",                          1,            job_numbers, litmus,                         {},
     "tests that run at the same time"},
    {"seed",             '\0',  number<&R::seed>,             "N",                          1,            any,         everywhere | predict | change_orders,           &O::seed,
     "the same seed gives the same executions"},
    {"isolation",        '\0',  choice<&R::isolation>,        "auto|reset|fork",            automatic,    any,         test | trace | predict | change_orders,         {},
     "how to separate executions; auto: reset if it works for the program, otherwise fork"},
    {"stop-on-bug",      '\0',  flag<&R::stop_on_bug>,        "",                           0,            any,         test,                           {},
     "stop at the first execution that has a bug"},
    {"keep-going",       '\0',  flag<&R::keep_going>,         "",                           0,            any,         test | verify | check | search, &O::continue_after_bug,
     "exhaustive search: do not stop at the first bug"},
    {"bound-events",     '\0',  parameter("events"),          "N",                          0,            parameters,  test | verify | search,         {},
     "exhaustive search: end executions after N events"},
    {"bound-loop",       '\0',  parameter("loop"),            "N",                          0,            parameters,  test | verify | search,         {},
     "exhaustive search: stop a thread that reaches one place more than N times"},
    {"bound-switches",   '\0',  parameter("switches"),        "N",                          0,            switches,    test | verify | search,         {},
     "exhaustive search: explore executions with at most N preemptions"},
    {"bound",            '\0',  choice<&R::bound>,            "none|auto",                  none,         any,         test | verify | search,         {},
     "exhaustive search: auto explores with --bound-switches 0, 1, 2, ..., until nothing is cut off or the time of --time has passed"},
    {"symmetry",         '\0',  flag_parameter("symmetry"),   "",                           0,            any,         test | verify | search,         {},
     "exhaustive search: explore one of the executions that differ only by exchanging equal threads"},
    {"max-events",       '\0',  number<&R::max_events>,       "N",                          1'000'000,    positive,    test | verify | check | trace | predict | change_orders,  &O::max_events,
     "cut an execution off after N events"},
    {"max-memory",       '\0',  size<&R::max_memory>,         "SIZE",                       4 * gib,      positive,    test | verify | check | trace | predict | change_orders,  &O::max_memory,
     "heap of one execution: 512M, 4G"},
    {"timeout",          '\0',  duration<&R::timeout>,        "TIME",                       10'000,       any,         test | verify | check | trace | predict | change_orders,  &O::timeout,
     "end an execution that makes no visible operation and touches no new memory for this long, in processor time; 0: never"},
    {"stdin",            '\0',  path<&R::stdin_path>,         "FILE",                       "",           any,         test | verify | trace | predict | change_orders, {},
     "standard input of the program; each execution reads it from its beginning"},
    {"leaks",            '\0',  flag<&R::leaks>,              "",                           0,            any,         test | verify | check | trace | change_orders,  &O::check_leaks,
     "report memory that is still allocated at the end, and threads that were neither joined nor detached"},
    {"lock-order",       '\0',  choice<&R::lock_order>,       "off|report|fail",            report,       any,         test | verify | trace | change_orders,          {},
     "locks that threads take in different orders, which may deadlock: off, report them, or report them as bugs"},
    {"exit-status",      '\0',  choice<&R::exit_status>,      "zero|any",                   zero,         any,         test | verify | check | trace | predict | change_orders,  &O::any_exit_status,
     "zero: it is a bug if the program ends with another exit status; any: it is not"},
    {"aslr",             '\0',  flag<&R::aslr>,               "",                           0,            any,         test | verify,                  {},
     "leave address randomisation on; the results must not change"},
    {"trust",            '\0',  text<&R::trust>,              "LIBRARY,...",                "",           any,         test | verify | trace | predict | change_orders, {},
     "calls into these libraries, which are not instrumented, are ordered as if each took one lock"},
    {"suppressions",     '\0',  path<&R::suppressions>,       "FILE",                       "",           any,         test | verify | aside | change_orders,          {},
     "do not report findings that match the lines of this file, such as race:FUNCTION"},
    {"json",             '\0',  path<&R::json>,               "FILE",                       "",           any,         test | verify | replay | predict | merge | aside | change_orders, {},
     "write the result to this file"},
    {"json",             '\0',  path<&R::json>,               "FILE",                       "",           any,         litmus,                         {},
     "write the final states to this file, one JSON record a line"},
    {"junit",            '\0',  path<&R::junit>,              "FILE",                       "",           any,         test | verify | merge | aside,  {},
     "write the result to this file as XML in the format of JUnit"},
    {"sarif",            '\0',  path<&R::sarif>,              "FILE",                       "",           any,         test | verify | merge | aside,  {},
     "write the findings to this file in the format SARIF 2.1.0"},
    {"sarif",            '\0',  path<&R::sarif>,              "FILE",                       "",           any,         change_orders,                  {},
     "write the orders to change to this file in the format SARIF 2.1.0, with the changes"},
    {"html",             '\0',  path<&R::html>,               "FILE",                       "",           any,         test | verify | merge | aside,  {},
     "write a page to this file: the findings with their pictures, charts of the campaign"},
    {"html",             '\0',  path<&R::html>,               "FILE",                       "",           any,         change_orders,                  {},
     "write a page to this file: the source with its atomic operations, and the answers"},
    {"annotations",      '\0',  choice<&R::annotations>,      "none|github",                none,         any,         test | verify | merge | aside,  {},
     "github: also print each finding as an annotation of GitHub Actions, which shows it at its line"},
    {"out",              '\0',  path<&R::out>,                "DIR",                        "heddle-out", any,         test | verify | check | predict | merge | aside | change_orders, &O::out,
     "folder for traces; created when the first trace is written"},
    {"corpus",           '\0',  path<&R::corpus>,             "DIR",                        "",           any,         test | aside,                   {},
     "folder in which fuzz keeps its corpus between campaigns; created if it does not exist"},
    {"shard",            '\0',  text<&R::shard>,              "I/N",                        "",           any,         test | verify | aside,          {},
     "run every N-th execution, from the I-th on, and write the result for heddle merge into the folder of --out"},
    {"baseline",         '\0',  path<&R::baseline>,           "FILE",                       "",           any,         test | verify | merge,          {},
     "a report that --json wrote: findings that it has do not make the exit code 1"},
    {"results",          '\0',  path<&R::results>,            "FILE",                       "",           any,         test | verify | merge | aside,  {},
     "add the result to this database, which heddle results shows; created if it does not exist"},
    {"resume",           '\0',  path<&R::resume>,             "DIR",                        "",           any,         test | verify | aside,          {},
     "keep the state of the campaign in this folder, and continue from the state that is there"},
    {"checkpoint",       '\0',  duration<&R::checkpoint>,     "TIME",                       60'000,       positive,    test | verify | aside,          {},
     "how often --resume writes the state"},
    {"print-graphs",     '\0',  number<&R::print_graphs>,     "N",                          0,            any,         test | verify | search,         {},
     "exhaustive search: print the first N execution graphs"},
    {"dot",              '\0',  path<&R::dot>,                "DIR",                        "",           any,         test | verify | search,         {},
     "exhaustive search: draw execution graphs, for Graphviz, into this folder"},
    {"dot-graphs",       '\0',  choice<&R::dot_graphs>,       "findings|all",               findings,     any,         test | verify | search,         {},
     "exhaustive search: which graphs --dot draws: those with findings, or all"},
    {"show-output",      '\0',  flag<&R::show_output>,        "",                           0,            any,         test | verify,                  {},
     "show what the program prints in every execution"},
    {"show-output",      '\0',  flag<&R::show_output>,        "",                           0,            any,         replay,                         {},
     "show what the program prints"},
    {"explain",          '\0',  choice<&R::explain>,          "first|all|none",             first,        any,         test | verify | merge | aside,  {},
     "which findings to minimise and explain: the first of each kind, all, or none"},
    {"quiet",            'q',   flag<&R::quiet>,              "",                           0,            any,         test | verify | predict | merge | aside | change_orders, {},
     "print the last line only"},
    {"quiet",            'q',   flag<&R::quiet>,              "",                           0,            any,         litmus,                         {},
     "print differences and totals only"},
    {"exitcode",         '\0',  number<&R::exitcode>,         "N",                          1,            exit_codes,  environment | aside,            {},
     "the exit code if a bug was found"},
    {"log-path",         '\0',  path<&R::log_path>,           "FILE",                       "",           any,         environment | aside,            {},
     "write the report to FILE.PID instead of standard output; stdout and stderr are these streams"},
};
// clang-format on

bool is_same_name(std::string_view written, std::string_view name) {
  if (written.size() != name.size()) return false;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = written[i] == '_' ? '-' : written[i];
    if (c != name[i]) return false;
  }
  return true;
}

std::uint64_t milliseconds_of(double seconds) {
  if (seconds < 0) return 0;
  const double rounded = seconds * 1000 + 0.999;  // up, so that a limit does not become no limit
  constexpr double most = 100.0 * 365 * 24 * 3'600'000;
  return static_cast<std::uint64_t>(rounded < most ? rounded : most);
}

bool read_check_option(const Field& field, const heddle_options& options, RunSpecification& specification) {
  const CheckMember& from = field.check;
  if (from.text != nullptr) {
    const char* value = options.*from.text;
    return value == nullptr || value[0] == '\0' || field.member.text(specification)->assign(value);
  }
  if (from.number != nullptr && options.*from.number != 0) field.member.set(specification, options.*from.number);
  if (from.seconds != nullptr && options.*from.seconds != 0)
    field.member.set(specification, milliseconds_of(options.*from.seconds));
  if (from.flag != nullptr && options.*from.flag != 0) field.member.set(specification, 1);
  return true;
}

}  // namespace

std::span<const Field> fields() { return table; }

const Field* find_field(std::string_view name, unsigned uses) {
  for (const Field& field : table)
    if ((field.uses & uses) != 0 && is_same_name(name, field.name)) return &field;
  return nullptr;
}

RunSpecification default_specification(unsigned use) {
  RunSpecification specification{};
  // A field that the command does not have keeps the default of the first row that has it.
  for (const bool own : {false, true}) {
    for (std::size_t i = std::size(table); i-- > 0;) {
      const Field& field = table[i];
      if (field.is_parameter() || ((field.uses & use) != 0) != own) continue;
      if (field.is_text())
        field.member.text(specification)->assign(field.fallback.text);
      else
        field.member.set(specification, field.fallback.number);
    }
  }
  return specification;
}

const Field* read_check_options(const heddle_options& options, RunSpecification& specification) {
  for (const Field& field : table)
    if ((field.uses & check) != 0 && !read_check_option(field, options, specification)) return &field;
  return nullptr;
}

}  // namespace heddle::run
