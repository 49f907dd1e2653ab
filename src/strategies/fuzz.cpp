#include "strategies/fuzz.hpp"

#include <algorithm>

#include "strategies/chance.hpp"

namespace heddle::strategies {

using graph::EventKind;

namespace {

enum ParameterIndex : std::size_t { mutate, interesting, threshold, inner, feedback };

constexpr const char* mutations[] = {"trace", "revisit", "minimal", "maximal"};
static_assert(std::size(mutations) == mutation_count);
constexpr double mutation_values[] = {0, 1, 2, 3};
constexpr std::uint8_t mutation_weights[] = {2, 1, 1, 2};
constexpr const char* interests[] = {"new", "rare"};
constexpr const char* inner_strategies[] = {"random", "pctwm"};
constexpr const char* feedbacks[] = {"graphs", "pairs", "auto"};
constexpr double most_threshold = 1000;

constexpr Parameter parameters[] = {
    {.name = "mutate",
     .help = "how a plan is made from an earlier execution; mix: all ways, more and more those that pay",
     .type = Parameter::Type::word,
     .most = mutation_count - 1,
     .values = mutation_values,
     .first_weights = mutation_weights,
     .words = mutations,
     .open_word = "mix"},
    {.name = "interesting",
     .help = "which executions others continue: those with a new graph, or with a rare one",
     .type = Parameter::Type::word,
     .most = std::size(interests) - 1,
     .default_value = 0,
     .words = interests},
    {.name = "threshold",
     .help = "a graph is rare if its relative frequency is below this",
     .type = Parameter::Type::real_number,
     .most = most_threshold,
     .default_value = 0.4},
    {.name = "inner",
     .help = "the strategy that decides what comes after the plan",
     .type = Parameter::Type::word,
     .most = std::size(inner_strategies) - 1,
     .default_value = 0,
     .words = inner_strategies},
    {.name = "feedback",
     .help =
         "what is new: whole graphs, pairs of source sites of a read and its write, or pairs once nearly all graphs "
         "are new",
     .type = Parameter::Type::word,
     .most = std::size(feedbacks) - 1,
     .default_value = 2,
     .words = feedbacks},
};

// The numbers for mutations are independent of those of the inner strategy.
constexpr std::uint64_t dice_salt = 0x66757a7a64696365ULL;
// How often a thread is chosen for one step of the plan.
constexpr std::uint32_t most_choices_at_step = 64;
// pctwm after a plan: few communications are left to be found.
constexpr std::uint32_t most_inner_depth = 3, most_inner_history = 2;
constexpr std::uint64_t inner_older_places_odds = 4;
// random after a plan, and without one: some bugs need a thread that runs for long, others threads that take turns.
constexpr double inner_switches[] = {1, 1, 1, 1, 1, 1, 0.5, 0.2};

}  // namespace

constinit const StrategyDescriptor fuzz_strategy = {
    .name = "fuzz",
    .help = "continues executions that showed something new, with one decision changed",
    .parameters = parameters,
    .first_weight = 3,
    .uses_corpus = true,
    .make = [](std::uint64_t seed, base::Arena& arena) -> Strategy* { return arena.create<FuzzStrategy>(seed, arena); },
};

CorpusRule corpus_rule(const ParameterValues& given) {
  const auto value = [&](std::size_t i) { return given[i] ? *given[i] : *parameters[i].default_value; };
  return {.interest = static_cast<CorpusRule::Interest>(value(interesting)),
          .threshold = value(threshold),
          .feedback = static_cast<CorpusRule::Feedback>(value(feedback))};
}

FuzzStrategy::FuzzStrategy(std::uint64_t seed, base::Arena& arena)
    : seed_(seed), arena_(arena), mutator_(arena), random_(seed), pctwm_(seed, {}, arena) {}

void FuzzStrategy::set_parameters(const ParameterValues& values) {
  mutation_ = static_cast<Mutation>(values.whole(mutate));
  inner_ = values.whole(inner) == 0 ? static_cast<Strategy*>(&random_) : &pctwm_;
}

bool FuzzStrategy::begin_execution(std::uint64_t number) {
  dice_.begin(seed_ ^ dice_salt, number);
  if (inner_ == &pctwm_) {
    ParameterValues drawn;
    drawn[PctwmStrategy::depth] = static_cast<double>(1 + dice_.below(most_inner_depth));
    drawn[PctwmStrategy::history] = static_cast<double>(1 + dice_.below(most_inner_history));
    drawn[PctwmStrategy::stores] = dice_.one_in(inner_older_places_odds) ? 1 : 0;
    pctwm_.set_parameters(drawn);
  } else {
    ParameterValues drawn;
    drawn[0] = inner_switches[dice_.below(std::size(inner_switches))];
    random_.set_parameters(drawn);
  }
  inner_->begin_execution(number);
  details_.clear();
  done_early_.clear();
  next_ = choices_at_step_ = 0;
  names_by_source_ = is_trace_ = false;
  plan_ = &own_plan_;
  own_plan_.clear();
  if (given_plan_ != nullptr) {
    plan_ = given_plan_;
    given_plan_ = nullptr;
  } else if (corpus_ != nullptr && graph_ != nullptr) {
    const std::uint32_t entry = corpus_->draw(seed_, number);
    if (entry != Corpus::none && corpus_->repeats_an_entry(number))
      mutator_.repeat(corpus_->recording(entry), own_plan_);
    else if (entry != Corpus::none)
      mutator_.mutate(corpus_->recording(entry), mutation_, number, dice_, own_plan_);
    names_by_source_ = entry != Corpus::none && corpus_->entries[entry].origin == Corpus::Origin::other_build_by_source;
    naming_.clear();
    source_names_.clear();
    is_trace_ = entry != Corpus::none && !names_by_source_ &&
                (mutation_ == Mutation::trace || corpus_->recording(entry).stores() == StoreRule::buffered);
  }
  follows_ = !plan_->steps.empty() || plan_->excluded_thread != 0;
  return true;
}

FastPath FuzzStrategy::fast_path() {
  if (!follows_) return inner_->fast_path();
  return {.decider = this, .calls = {.end_execution = false, .escapes = inner_ == &pctwm_, .write_names = true}};
}

std::uint32_t FuzzStrategy::leave_plan(const Choice& choice) {
  follows_ = false;
  return inner_->choose(choice);
}

/// What the plan demands is not offered. In another build this may be so at one step, and the rest still fits.
std::uint32_t FuzzStrategy::choose_without_plan(const Choice& choice) {
  return names_by_source_ ? inner_->choose(choice) : leave_plan(choice);
}

const PlannedStep* FuzzStrategy::planned(graph::ThreadId thread) const {
  if (!follows_ || next_ == plan_->steps.size()) return nullptr;
  const std::uint64_t name = name_of(thread);
  const std::size_t end = names_by_source_ ? std::min(plan_->steps.size(), end_of_view()) : next_ + 1;
  for (std::size_t step = next_; step < end; ++step)
    if (plan_->steps[step].thread == name && !is_done(step)) return &plan_->steps[step];
  return nullptr;
}

std::uint32_t FuzzStrategy::choose(const Choice& choice) {
  switch (choice.kind) {
    case ChoiceKind::thread: return choose_thread(choice);
    case ChoiceKind::reads_from: return choose_write(choice);
    case ChoiceKind::mo_slot: return choose_slot(choice);
    case ChoiceKind::spurious:
    case ChoiceKind::timeout:
    case ChoiceKind::value: return choose_detail(choice);
  }
  return 0;
}

/// Any option but `excluded`.
std::uint32_t FuzzStrategy::choose_other(const Choice& choice, std::uint32_t excluded) {
  const auto count = static_cast<std::uint32_t>(choice.options.size());
  if (excluded >= count) return static_cast<std::uint32_t>(dice_.below(count));
  const auto index = static_cast<std::uint32_t>(dice_.below(count - 1));
  return index < excluded ? index : index + 1;
}

std::uint32_t FuzzStrategy::choose_thread(const Choice& choice) {
  if (!follows_) return inner_->choose(choice);
  if (next_ == plan_->steps.size()) {
    follows_ = false;
    return choose_other(choice, find_thread(choice, [this](graph::ThreadId thread) {
                          return name_of(thread) == plan_->excluded_thread;
                        }));
  }
  // A thread may also run without executing its planned event: it sleeps, or polls a clock. In another build, the step
  // may be missing.
  if (++choices_at_step_ > most_choices_at_step) {
    if (!names_by_source_) return leave_plan(choice);
    settle_step(next_);
    skip_done();
    choices_at_step_ = 0;
  }
  const std::size_t end = names_by_source_ ? end_of_view() : next_ + 1;
  for (std::size_t step = next_; step < std::min(end, plan_->steps.size()); ++step) {
    if (is_done(step)) continue;
    const std::uint64_t wanted = plan_->steps[step].thread;
    const std::uint32_t found = find_thread(choice, [&](graph::ThreadId thread) { return name_of(thread) == wanted; });
    if (found != no_option) return found;
  }
  return leave_plan(choice);
}

std::uint32_t FuzzStrategy::choose_write(const Choice& choice) {
  const PlannedStep* step = planned(choice.current);
  if (step == nullptr || choice.options[0].write == graph::no_event) return inner_->choose(choice);
  const std::uint32_t found =
      find_write(choice, *graph_, [&](const graph::Event& write) { return name_of(write) == step->source; });
  if (step->takes_other_source) return choose_other(choice, found);
  return found == no_option ? choose_without_plan(choice) : found;
}

std::uint32_t FuzzStrategy::choose_slot(const Choice& choice) {
  const PlannedStep* step = planned(choice.current);
  if (step == nullptr) return inner_->choose(choice);
  const std::uint32_t found = find_slot(choice, *graph_, choice.location,
                                        [&](const graph::Event& write) { return name_of(write) == step->predecessor; });
  if (step->takes_other_slot) return choose_other(choice, found);
  return found == no_option ? choose_without_plan(choice) : found;
}

std::uint32_t FuzzStrategy::choose_detail(const Choice& choice) {
  const PlannedStep* step = planned(choice.current);
  std::uint32_t option = 0;
  if (step == nullptr || (!step->fixes_detail && choice.kind == ChoiceKind::value))
    option = inner_->choose(choice);
  else if (step->fixes_detail && step->detail < choice.options.size())
    option = step->detail;
  if (option != 0) details_.push_back(arena_, {choice.current, graph_->thread(choice.current).index + 2, option});
  return option;
}

/// Is the event what the step demands? The strategy is not asked to choose among one option, so this compares it.
bool FuzzStrategy::is_as_planned(const graph::Event& event, const PlannedStep& step) const {
  // Another build of the program may do something else at this place. A compare-exchange may be a load or an rmw.
  if (event.kind != step.kind && !(reads(event.kind) && reads(step.kind))) return false;
  if (reads(event.kind)) return step.takes_other_source || name_of(graph_->event(event.reads_from)) == step.source;
  if (event.kind != EventKind::store || step.takes_other_slot || is_buffered(event)) return true;
  const auto& order = graph_->location(event.location).modification_order;
  return name_of(graph_->event(order[event.mo_position - 1])) == step.predecessor;
}

/// Names the event, and those before it that were not executed by a thread's turn: imported plain stores.
void FuzzStrategy::name_by_source(const graph::Event& event) {
  const auto events = graph_->events();
  const auto id = static_cast<std::size_t>(&event - events.data());
  for (std::size_t i = source_names_.size(); i <= id; ++i) {
    const graph::Event& each = events[i];
    const bool has_name = each.thread != graph::no_thread;
    source_names_.push_back(arena_,
                            !has_name ? initial_write
                                      : naming_.name_next(arena_, name_of(each.thread),
                                                          source_name(corpus_->sources(), sites_->name_of(each.site))));
  }
}

/// An event may come before it is planned, if its thread was the only one that could run, or if it is no scheduling
/// point. An event that is not planned does not end the plan, unless its thread has thereby passed the next step.
void FuzzStrategy::executed(const graph::Event& event) {
  inner_->executed(event);
  if (!follows_ || event.thread == graph::no_thread || event.index % 2 != 0) return;
  if (next_ == plan_->steps.size()) {  // only the excluded thread could run
    follows_ = false;
    return;
  }
  if (names_by_source_) name_by_source(event);
  const std::uint64_t name = name_of(event), thread = name_of(event.thread);
  const std::size_t end = std::min(plan_->steps.size(), end_of_view());
  std::size_t at = next_;
  while (at < end && (plan_->steps[at].name != name || is_done(at))) ++at;
  if (at == end) {
    // The events of a thread come in order, so the thread has passed the step that the plan waits for. In another
    // build, the event may be one of new code.
    if (!names_by_source_ && plan_->steps[next_].thread == thread) follows_ = false;
    return;
  }
  if (!names_by_source_ && !is_as_planned(event, plan_->steps[at])) {
    follows_ = false;
    return;
  }
  choices_at_step_ = 0;
  settle_step(at);
  // What the thread should have done before it did not do: that code is gone.
  for (std::size_t step = next_; names_by_source_ && step < at; ++step)
    if (plan_->steps[step].thread == thread) settle_step(step);
  skip_done();
  if (next_ == plan_->steps.size() && plan_->excluded_thread == 0) follows_ = false;
}

}  // namespace heddle::strategies
