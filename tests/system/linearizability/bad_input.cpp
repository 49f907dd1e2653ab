// Tests of linearizability that are wrong themselves; -DCASE=N chooses one. For tests/system/linearizable_programs.py.
#include <atomic>
#include <heddle/linearizable.hpp>
#include <memory>
#include <optional>
#include <stdexcept>

struct Subject {
  void push(int value) { last.store(value); }
  int pop() { return last.exchange(0); }
  std::atomic<int> last{0};
};

struct Sequential {
  void push(int value) { last = value; }
  int pop() { return std::exchange(last, 0); }
  int last = 0;
};

struct Uncopyable : Sequential {
  std::unique_ptr<int> owned;
};
struct OtherArguments {
  void push(int, const char*) {}
  int pop() { return 0; }
};
struct OtherResult {
  void push(int) {}
  const char* pop() { return ""; }
};
struct Throwing : Sequential {
  int pop() { throw std::runtime_error("not today"); }
};
struct Atomic : Sequential {
  int pop() {
    static std::atomic<int> calls{0};
    calls.fetch_add(1);
    return Sequential::pop();
  }
};

int main() {
  const auto push = [](auto& subject, int value) { return subject.push(value); };
  const auto pop = [](auto& subject) { return subject.pop(); };
#if CASE == 1
  return heddle::linearizable<Subject>("slot", Uncopyable()).operation("pop", pop).run();
#elif CASE == 2
  return heddle::linearizable<Subject>("slot", OtherArguments())
      .operation("push", push, [](OtherArguments& state, int value, const char* text) { state.push(value, text); }, {1})
      .run();
#elif CASE == 3
  return heddle::linearizable<Subject>("slot", OtherResult()).operation("pop", pop).run();
#elif CASE == 4
  return heddle::linearizable<Subject>("slot", Throwing()).operation("push", push, {1}).operation("pop", pop).run();
#elif CASE == 5
  return heddle::linearizable<Subject>("slot", Atomic()).operation("push", push, {1}).operation("pop", pop).run();
#elif CASE == 6
  return heddle::linearizable<Subject>("slot", Sequential()).run();
#elif CASE == 7
  return heddle::linearizable<Subject>("slot", Sequential()).operation("push", push, {1}).finally("pop").run();
#elif CASE == 8
  return heddle::linearizable<Subject>("slot", Sequential())
      .operation(
          "look", [](Subject&) { return true; }, [](Sequential&) { return true; })
      .finally("look", heddle::until_empty)
      .run();
#elif CASE == 9
  return heddle::linearizable<Subject>("slot", Sequential()).operation("pop", pop).up_to(9, 2).run();
#else
  return heddle::linearizable<Subject>("slot", Sequential()).operation("push", push, {1}).operation("pop", pop).run();
#endif
}
