// Two threads use one container, string or stream each, mostly through functions of the C++ library that are not
// instrumented.
//
//   calls race     the threads are not ordered: a data race in every RACE, and in no CLEAR
//   calls locked   each use holds one mutex: no race
//   calls ordered  one thread runs after the other: no race
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <list>
#include <map>
#include <mutex>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

struct Case {
  void (*first)();
  void (*second)();
};
static std::vector<Case>& cases() {
  static std::vector<Case> all;
  return all;
}
template <typename T>
static T instance;
template <typename T>
static void run_first() {
  instance<T>.first();
}
template <typename T>
static void run_second() {
  instance<T>.second();
}
static bool add(Case each) {
  cases().push_back(each);
  return true;
}
#define CASE(name)                                                                       \
  struct name;                                                                           \
  static const bool has_##name = add({run_first<struct name>, run_second<struct name>}); \
  struct name
#define RACE(name) CASE(name)
#define CLEAR(name) CASE(name)

static thread_local volatile long sink;
template <typename Container>
static void walk(const Container& container) {
  for (int i : container) sink = i;
}
template <typename Container>
static void walk_back(const Container& container) {
  for (auto i = container.end(); i != container.begin();) sink = *--i;
}

RACE(append_twice) {
  std::string s = "abc";
  void first() { s.append("def"); }
  void second() { s.append("ghi"); }
};
RACE(append_and_size) {
  std::string s = "abc";
  void first() { s.append("def"); }
  void second() { sink = static_cast<long>(s.size()); }
};
RACE(add_and_copy) {
  std::string s = "abc", t;
  void first() { s += "def"; }
  void second() { t = s; }
};
RACE(append_the_string) {
  std::string s = "abc", t;
  void first() { t.append(s); }
  void second() { s.push_back('x'); }
};
RACE(append_array) {
  char a[8] = "abcdefg";
  std::string s;
  void first() { s.append(a, 4); }
  void second() { a[2] = 'x'; }
};
CLEAR(append_part_of_array) {
  char a[8] = "abcdefg";
  std::string s;
  void first() { s.append(a, 4); }
  void second() { a[5] = 'x'; }
};
RACE(assign_text) {
  char a[8] = "abcdefg";
  std::string s;
  void first() { s.assign(a); }
  void second() { a[2] = 'x'; }
};
RACE(assign_and_compare) {
  std::string s = "abc";
  void first() { s.assign("x"); }
  void second() { sink = s.compare("abc"); }
};
RACE(assign_and_find) {
  std::string s = "abc";
  void first() { s = "x"; }
  void second() { sink = static_cast<long>(s.find("c")); }
};
RACE(insert_and_at) {
  std::string s = "abc";
  void first() { s.insert(1, "x"); }
  void second() { sink = s.at(0); }
};
RACE(replace_and_data) {
  std::string s = "abc";
  void first() { s.replace(0, 1, "xy"); }
  void second() { sink = s.data()[0]; }
};
RACE(erase_and_substr) {
  std::string s = "abc", t;
  void first() { s.erase(1, 1); }
  void second() { t = s.substr(1); }
};
RACE(push_and_read_long) {
  std::string s = std::string(40, 'a');
  void first() { s.push_back('x'); }
  void second() { sink = s[39]; }
};
RACE(change_what_is_searched) {
  std::string s = std::string(40, 'a');
  void first() { sink = static_cast<long>(s.find("x")); }
  void second() { s[3] = 'b'; }
};
RACE(resize_and_back) {
  std::string s = "abc";
  void first() { s.resize(30); }
  void second() { sink = s.back(); }
};
RACE(move_and_empty) {
  std::string s = "abc", t;
  void first() { t = std::move(s); }
  void second() { sink = s.empty(); }
};
RACE(wide_append_and_size) {
  std::wstring s = L"abc";
  void first() { s.append(L"def"); }
  void second() { sink = static_cast<long>(s.size()); }
};
CLEAR(two_searches) {
  std::string s = "abc";
  void first() { sink = static_cast<long>(s.find("c")); }
  void second() { sink = s.compare("abd"); }
};
CLEAR(two_copies) {
  std::string s = "abc";
  void first() { std::string t = s; }
  void second() { std::string t = s.substr(1); }
};
CLEAR(two_strings) {
  std::string s = "abc", t = "abc";
  void first() { s.append("x"); }
  void second() { t.append("x"); }
};
CLEAR(two_characters) {
  std::string s = "abc";
  void first() { s[0] = 'x'; }
  void second() { s[1] = 'y'; }
};

RACE(map_insert_and_find) {
  std::map<int, int> m = {{1, 1}};
  void first() { m.insert({2, 2}); }
  void second() { sink = m.find(1)->second; }
};
RACE(map_erase_and_find) {
  std::map<int, int> m = {{1, 1}, {2, 2}};
  void first() { m.erase(2); }
  void second() { sink = m.find(1)->second; }
};
RACE(set_insert_and_walk) {
  std::set<int> m = {1, 2, 3, 4};
  void first() { m.insert(5); }
  void second() { walk(m); }
};
RACE(set_erase_and_walk_back) {
  std::set<int> m = {1, 2, 3, 4, 5};
  void first() { m.erase(2); }
  void second() { walk_back(m); }
};
RACE(set_insert_and_last) {
  std::set<int> m = {1, 2, 3, 4, 5};
  void first() { m.insert(6); }
  void second() { sink = *m.rbegin(); }
};
CLEAR(two_walks) {
  std::set<int> m = {1, 2, 3, 4, 5, 6, 7, 8};
  void first() { walk(m); }
  void second() { walk_back(m); }
};
CLEAR(two_values) {
  std::map<int, int> m = {{1, 1}, {2, 2}};
  void first() { m.find(1)->second = 3; }
  void second() { m.find(2)->second = 4; }
};
CLEAR(two_maps) {
  std::map<int, int> m, n;
  void first() {
    for (int i = 0; i < 50; ++i) m[i * 7 % 50] = i;
    for (int i = 0; i < 50; ++i) m.erase(i * 3 % 50);
  }
  void second() {
    for (int i = 0; i < 50; ++i) n[i] = i;
    for (int i = 50; i-- > 0;) n.erase(i);
  }
};
RACE(list_push_and_walk) {
  std::list<int> m = {1, 2};
  void first() { m.push_back(3); }
  void second() { walk(m); }
};
RACE(list_erase_and_walk) {
  std::list<int> m = {1, 2, 3};
  void first() { m.erase(++m.begin()); }
  void second() { walk(m); }
};
RACE(list_splice_and_walk) {
  std::list<int> m = {1, 2}, n = {3};
  void first() { m.splice(m.end(), n); }
  void second() { walk(m); }
};
RACE(list_reverse_and_walk) {
  std::list<int> m = {1, 2};
  void first() { m.reverse(); }
  void second() { walk(m); }
};
RACE(list_swap_and_walk) {
  std::list<int> m = {1, 2}, n = {3};
  void first() { m.swap(n); }
  void second() { walk(m); }
};
CLEAR(two_ends_of_a_list) {
  std::list<int> m = {1, 2, 3, 4};
  void first() { m.front() = 5; }
  void second() { m.back() = 6; }
};

RACE(print_twice) {
  std::ostringstream s;
  void first() { s << 1; }
  void second() { s << 2.5; }
};
RACE(print_and_str) {
  std::ostringstream s;
  void first() { s << 1; }
  void second() { sink = static_cast<long>(s.str().size()); }
};
RACE(print_texts) {
  std::ostringstream s;
  void first() { s << "x" << std::endl; }
  void second() { s << std::string("y"); }
};
RACE(read_twice) {
  std::istringstream s{"1 2 3"};
  int i = 0, j = 0;
  void first() { s >> i; }
  void second() { s >> j; }
};
RACE(read_lines) {
  std::istringstream s{"1 2 3"};
  std::string i, j;
  void first() { std::getline(s, i); }
  void second() { std::getline(s, j); }
};
RACE(file_stream) {
  std::ofstream s{"/dev/null"};
  void first() { s << 1; }
  void second() { s << 2; }
};
CLEAR(standard_stream){void first(){std::cerr << 1 << "\n";
}
void second() { std::cerr << 2 << "\n"; }
}
;
CLEAR(two_streams) {
  std::ostringstream s, t;
  void first() { s << 1; }
  void second() { t << 2; }
};
#if !defined(_LIBCPP_VERSION)  // there, std::filesystem::path is in its header
RACE(path_append_twice) {
  std::filesystem::path p = "/tmp";
  void first() { p /= "x"; }
  void second() { p /= "y"; }
};
RACE(path_append_and_parent) {
  std::filesystem::path p = "/tmp/x";
  void first() { p /= "x"; }
  void second() { sink = p.parent_path().empty(); }
};
CLEAR(two_parts_of_a_path) {
  std::filesystem::path p = "/tmp/x";
  void first() { sink = p.parent_path().empty(); }
  void second() { sink = p.root_path().empty(); }
};
#endif

static std::mutex mutex;
static bool locks;

static void run(void (*Case::*which)()) {
  for (const Case& each : cases()) {
    std::unique_lock lock(mutex, std::defer_lock);
    if (locks) lock.lock();
    (each.*which)();
  }
}

int main(int, char** arguments) {
  locks = std::strcmp(arguments[1], "locked") == 0;
  std::thread first(run, &Case::first);
  if (std::strcmp(arguments[1], "ordered") == 0) {
    first.join();
    std::thread(run, &Case::second).join();
    return 0;
  }
  std::thread second(run, &Case::second);
  first.join();
  second.join();
}
