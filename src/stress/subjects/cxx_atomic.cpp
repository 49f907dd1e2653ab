// subjects: std_
// std::atomic, std::atomic_ref, std::atomic_flag and std::atomic_thread_fence, with every memory order, and the locks
// of the C++ library. The harness is in C: heddle stress links it.
#include <heddle/stress.h>

#include <atomic>
#include <deque>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <vector>

namespace {

constexpr int cell_count = 64;

struct alignas(64) Cell {
  uint64_t old_value = 0, new_value = 0;
};
Cell cells[cell_count];

uint64_t square(int thread) { return static_cast<uint64_t>(thread) * static_cast<uint64_t>(thread); }

uint64_t broken_chain(uint64_t last, int threads) {
  uint64_t olds[cell_count], news[cell_count];
  for (int t = 1; t <= threads; ++t) {
    olds[t] = cells[t].old_value;
    news[t] = cells[t].new_value;
  }
  return heddle_stress_broken_chain(0, olds, news, last, threads);
}

uint64_t broken_chain_or_lost(uint64_t last, unsigned bits, int threads) {
  const uint64_t lost = heddle_stress_lost_added(0, last, bits, threads);
  return lost != 0 ? lost : broken_chain(last, threads);
}

std::deque<std::string> names;
std::vector<heddle_stress_subject> subjects;

void add(std::string name, heddle_stress_expectation expectation, void (*reset)(int), void (*run)(int),
         uint64_t (*lost)(int)) {
  names.push_back(std::move(name));
  subjects.push_back({names.back().c_str(), expectation, reset, run, lost, nullptr, 0});
}

const char* name_of(std::memory_order order) {
  switch (order) {
    case std::memory_order_relaxed: return "relaxed";
    case std::memory_order_consume: return "consume";
    case std::memory_order_acquire: return "acquire";
    case std::memory_order_release: return "release";
    case std::memory_order_acq_rel: return "acq_rel";
    default: return "seq_cst";
  }
}

/// A variable of the type, apart from those of other types.
template <typename T>
struct Variable {
  alignas(64) static inline std::atomic<T> x{};
  alignas(64) static inline T plain{};  // for atomic_ref
  static constexpr unsigned bits = std::is_floating_point_v<T> ? 64 : 8 * sizeof(T);

  static void reset(int) {
    x.store(T{});
    plain = T{};
  }
  static uint64_t lost(int threads) { return broken_chain_or_lost(static_cast<uint64_t>(x.load()), bits, threads); }
  static uint64_t lost_plain(int threads) { return broken_chain_or_lost(static_cast<uint64_t>(plain), bits, threads); }
  static uint64_t lost_exchange(int threads) { return broken_chain(static_cast<uint64_t>(x.load()), threads); }
};

void keep(int thread, uint64_t old_value, uint64_t new_value) { cells[thread] = {old_value, new_value}; }

template <typename T, std::memory_order Order>
struct Operations {
  static void fetch_add(int thread) {
    const T old = Variable<T>::x.fetch_add(static_cast<T>(square(thread)), Order);
    keep(thread, static_cast<uint64_t>(old),
         static_cast<uint64_t>(static_cast<T>(old + static_cast<T>(square(thread)))));
  }
  static void exchange(int thread) {
    keep(thread, static_cast<uint64_t>(Variable<T>::x.exchange(static_cast<T>(thread), Order)),
         static_cast<uint64_t>(thread));
  }
  /// The failure order follows from the order.
  static void strong(int thread) {
    T old = Variable<T>::x.load(std::memory_order_relaxed);
    while (!Variable<T>::x.compare_exchange_strong(old, static_cast<T>(old + static_cast<T>(square(thread))), Order)) {
    }
    keep(thread, static_cast<uint64_t>(old),
         static_cast<uint64_t>(static_cast<T>(old + static_cast<T>(square(thread)))));
  }
  static void weak(int thread) {
    T old = Variable<T>::x.load(std::memory_order_relaxed);
    while (!Variable<T>::x.compare_exchange_weak(old, static_cast<T>(old + static_cast<T>(square(thread))), Order)) {
    }
    keep(thread, static_cast<uint64_t>(old),
         static_cast<uint64_t>(static_cast<T>(old + static_cast<T>(square(thread)))));
  }
#ifdef __cpp_lib_atomic_ref
  static void reference(int thread) {
    const T old = std::atomic_ref<T>(Variable<T>::plain).fetch_add(static_cast<T>(square(thread)), Order);
    keep(thread, static_cast<uint64_t>(old),
         static_cast<uint64_t>(static_cast<T>(old + static_cast<T>(square(thread)))));
  }
#endif
};

template <typename T, std::memory_order Order>
void add_operations(const std::string& type) {
  using Run = Operations<T, Order>;
  const std::string end = "/" + type + "/" + name_of(Order);
  const auto reset = Variable<T>::reset;
  add("std_fetch_add" + end, HEDDLE_STRESS_ATOMIC, reset, Run::fetch_add, Variable<T>::lost);
  add("std_exchange" + end, HEDDLE_STRESS_ATOMIC, reset, Run::exchange, Variable<T>::lost_exchange);
  add("std_cas_strong" + end, HEDDLE_STRESS_ATOMIC, reset, Run::strong, Variable<T>::lost);
  add("std_cas_weak" + end, HEDDLE_STRESS_ATOMIC, reset, Run::weak, Variable<T>::lost);
#ifdef __cpp_lib_atomic_ref
  add("std_atomic_ref" + end, HEDDLE_STRESS_ATOMIC, reset, Run::reference, Variable<T>::lost_plain);
#endif
}

template <typename T>
void add_type(const std::string& type) {
  add_operations<T, std::memory_order_relaxed>(type);
  add_operations<T, std::memory_order_consume>(type);
  add_operations<T, std::memory_order_acquire>(type);
  add_operations<T, std::memory_order_release>(type);
  add_operations<T, std::memory_order_acq_rel>(type);
  add_operations<T, std::memory_order_seq_cst>(type);
}

template <typename T>
struct BitOperations {
  static constexpr T bit(int thread) {
    return static_cast<T>(T{1} << ((thread - 1) % static_cast<int>(8 * sizeof(T))));
  }
  static void reset_ones(int) { Variable<T>::x = static_cast<T>(~T{0}); }
  static void subtract(int thread) { Variable<T>::x -= static_cast<T>(square(thread)); }
  static void exclusive_or(int thread) { Variable<T>::x ^= static_cast<T>(square(thread)); }
  static void set_bit(int thread) { Variable<T>::x |= bit(thread); }
  static void clear_bit(int thread) { Variable<T>::x &= static_cast<T>(~bit(thread)); }
  static uint64_t lost_subtract(int threads) {
    return heddle_stress_lost_subtracted(0, Variable<T>::x.load(), 8 * sizeof(T), threads);
  }
  static uint64_t lost_xor(int threads) {
    return heddle_stress_lost_xored(0, Variable<T>::x.load(), 8 * sizeof(T), threads);
  }
  static uint64_t missing(uint64_t value, int threads) {
    uint64_t lost = 0;
    for (int t = 1; t <= threads; ++t)
      if ((value & bit(t)) == 0) lost |= uint64_t{1} << t;
    return lost;
  }
  static uint64_t lost_set(int threads) { return missing(Variable<T>::x.load(), threads); }
  static uint64_t lost_clear(int threads) { return missing(~uint64_t{Variable<T>::x.load()}, threads); }
};

template <typename T>
void add_bits(const std::string& type) {
  using Run = BitOperations<T>;
  add("std_sub_assign/" + type, HEDDLE_STRESS_ATOMIC, Variable<T>::reset, Run::subtract, Run::lost_subtract);
  add("std_xor_assign/" + type, HEDDLE_STRESS_ATOMIC, Variable<T>::reset, Run::exclusive_or, Run::lost_xor);
  add("std_or_assign/" + type, HEDDLE_STRESS_ATOMIC, Variable<T>::reset, Run::set_bit, Run::lost_set);
  add("std_and_assign/" + type, HEDDLE_STRESS_ATOMIC, Run::reset_ones, Run::clear_bit, Run::lost_clear);
}

/// Locks around a plain sum.
struct Locks {
  static inline std::mutex mutex;
  static inline std::recursive_mutex recursive;
  static inline std::shared_mutex shared;
  static inline std::atomic_flag flag = ATOMIC_FLAG_INIT;
  static inline uint32_t sum = 0;

  static void reset(int) { sum = 0; }
  static uint64_t lost(int threads) { return heddle_stress_lost_added(0, sum, 32, threads); }
  template <typename Mutex>
  static void add_under(Mutex& lock, int thread) {
    const std::lock_guard<Mutex> guard(lock);
    sum += static_cast<uint32_t>(square(thread));
  }
  static void with_mutex(int thread) { add_under(mutex, thread); }
  static void with_recursive(int thread) { add_under(recursive, thread); }
  static void with_shared(int thread) { add_under(shared, thread); }
  static void with_flag(int thread) {
    while (flag.test_and_set(std::memory_order_acquire)) {
    }
    sum += static_cast<uint32_t>(square(thread));
    flag.clear(std::memory_order_release);
  }
};

/// Threads 1 and 2: a message behind a flag, and store buffering.
struct Ordering {
  alignas(64) static inline std::atomic<int> x{0};
  alignas(64) static inline std::atomic<int> y{0};

  static void reset(int) { x = y = 0; }
  static uint64_t lost_message(int) { return cells[2].old_value == 1 && cells[2].new_value != 42 ? 2 : 0; }
  static uint64_t lost_stores(int) { return cells[1].old_value == 0 && cells[2].old_value == 0 ? 6 : 0; }
  static void message(int thread) {
    if (thread == 1) {
      x.store(42, std::memory_order_relaxed);
      y.store(1, std::memory_order_release);
    } else if (thread == 2) {
      const int flag = y.load(std::memory_order_acquire);
      keep(2, static_cast<uint64_t>(flag), static_cast<uint64_t>(x.load(std::memory_order_relaxed)));
    }
  }
  static void fenced_message(int thread) {
    if (thread == 1) {
      x.store(42, std::memory_order_relaxed);
      std::atomic_thread_fence(std::memory_order_release);
      y.store(1, std::memory_order_relaxed);
    } else if (thread == 2) {
      const int flag = y.load(std::memory_order_relaxed);
      std::atomic_thread_fence(std::memory_order_acquire);
      keep(2, static_cast<uint64_t>(flag), static_cast<uint64_t>(x.load(std::memory_order_relaxed)));
    }
  }
  static void buffer(int thread) {
    if (thread > 2) return;
    (thread == 1 ? x : y).store(1);
    keep(thread, static_cast<uint64_t>((thread == 1 ? y : x).load()), 0);
  }
  static void fenced_buffer(int thread) {
    if (thread > 2) return;
    (thread == 1 ? x : y).store(1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    keep(thread, static_cast<uint64_t>((thread == 1 ? y : x).load(std::memory_order_relaxed)), 0);
  }
};

void fill() {
  add_type<uint8_t>("u8");
  add_type<uint16_t>("u16");
  add_type<uint32_t>("u32");
  add_type<uint64_t>("u64");
#if defined(__cpp_lib_atomic_float) || __cplusplus >= 202002L
  add_type<float>("float");
  add_type<double>("double");
#endif
  add_bits<uint8_t>("u8");
  add_bits<uint16_t>("u16");
  add_bits<uint32_t>("u32");
  add_bits<uint64_t>("u64");
  add("std_mutex", HEDDLE_STRESS_ATOMIC, Locks::reset, Locks::with_mutex, Locks::lost);
  add("std_recursive_mutex", HEDDLE_STRESS_ATOMIC, Locks::reset, Locks::with_recursive, Locks::lost);
  add("std_shared_mutex", HEDDLE_STRESS_ATOMIC, Locks::reset, Locks::with_shared, Locks::lost);
  add("std_atomic_flag", HEDDLE_STRESS_ATOMIC, Locks::reset, Locks::with_flag, Locks::lost);
  add("std_message_passing/release_acquire", HEDDLE_STRESS_ATOMIC, Ordering::reset, Ordering::message,
      Ordering::lost_message);
  add("std_message_passing/fences", HEDDLE_STRESS_ATOMIC, Ordering::reset, Ordering::fenced_message,
      Ordering::lost_message);
  add("std_store_buffering/seq_cst", HEDDLE_STRESS_ATOMIC, Ordering::reset, Ordering::buffer, Ordering::lost_stores);
  add("std_store_buffering/fence_seq_cst", HEDDLE_STRESS_ATOMIC, Ordering::reset, Ordering::fenced_buffer,
      Ordering::lost_stores);
}

}  // namespace

int main(int argc, char** argv) {
  fill();
  return heddle_stress_main(argc, argv, subjects.data(), subjects.size());
}
