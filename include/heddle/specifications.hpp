// Sequential types for heddle/linearizable.hpp. Any copyable class with the operations of the data structure can take
// their place; with operator==, the check takes less time.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace heddle::specification {

/// First in, first out.
template <typename T>
class queue {
 public:
  void push(T value) { values_.push_back(std::move(value)); }
  std::optional<T> try_pop() {
    if (values_.empty()) return std::nullopt;
    T first = std::move(values_.front());
    values_.erase(values_.begin());
    return first;
  }
  bool empty() const { return values_.empty(); }
  std::size_t size() const { return values_.size(); }
  friend bool operator==(const queue& a, const queue& b) { return a.values_ == b.values_; }

 private:
  std::vector<T> values_;
};

/// A queue with room for so many elements.
template <typename T>
class bounded_queue {
 public:
  explicit bounded_queue(std::size_t capacity) : capacity_(capacity) {}
  bool try_push(T value) {
    if (values_.size() == capacity_) return false;
    values_.push(std::move(value));
    return true;
  }
  std::optional<T> try_pop() { return values_.try_pop(); }
  bool empty() const { return values_.empty(); }
  std::size_t size() const { return values_.size(); }
  friend bool operator==(const bounded_queue& a, const bounded_queue& b) { return a.values_ == b.values_; }

 private:
  std::size_t capacity_;
  queue<T> values_;
};

/// Last in, first out.
template <typename T>
class stack {
 public:
  void push(T value) { values_.push_back(std::move(value)); }
  std::optional<T> try_pop() {
    if (values_.empty()) return std::nullopt;
    T last = std::move(values_.back());
    values_.pop_back();
    return last;
  }
  bool empty() const { return values_.empty(); }
  std::size_t size() const { return values_.size(); }
  friend bool operator==(const stack& a, const stack& b) { return a.values_ == b.values_; }

 private:
  std::vector<T> values_;
};

/// A queue with two ends.
template <typename T>
class deque {
 public:
  void push_front(T value) { values_.insert(values_.begin(), std::move(value)); }
  void push_back(T value) { values_.push_back(std::move(value)); }
  std::optional<T> try_pop_front() {
    if (values_.empty()) return std::nullopt;
    T first = std::move(values_.front());
    values_.erase(values_.begin());
    return first;
  }
  std::optional<T> try_pop_back() {
    if (values_.empty()) return std::nullopt;
    T last = std::move(values_.back());
    values_.pop_back();
    return last;
  }
  bool empty() const { return values_.empty(); }
  std::size_t size() const { return values_.size(); }
  friend bool operator==(const deque& a, const deque& b) { return a.values_ == b.values_; }

 private:
  std::vector<T> values_;
};

template <typename Key>
class set {
 public:
  bool insert(Key key) { return keys_.insert(std::move(key)).second; }
  bool erase(const Key& key) { return keys_.erase(key) != 0; }
  bool contains(const Key& key) const { return keys_.count(key) != 0; }
  std::size_t size() const { return keys_.size(); }
  friend bool operator==(const set& a, const set& b) { return a.keys_ == b.keys_; }

 private:
  std::set<Key> keys_;
};

template <typename Key, typename Value>
class map {
 public:
  /// False: there is such a key, whose value stays.
  bool insert(Key key, Value value) { return values_.emplace(std::move(key), std::move(value)).second; }
  void insert_or_assign(const Key& key, Value value) { values_.insert_or_assign(key, std::move(value)); }
  bool erase(const Key& key) { return values_.erase(key) != 0; }
  std::optional<Value> find(const Key& key) const {
    const auto found = values_.find(key);
    return found == values_.end() ? std::nullopt : std::optional<Value>(found->second);
  }
  bool contains(const Key& key) const { return values_.count(key) != 0; }
  std::size_t size() const { return values_.size(); }
  friend bool operator==(const map& a, const map& b) { return a.values_ == b.values_; }

 private:
  std::map<Key, Value> values_;
};

/// One value, as in an atomic variable.
template <typename T>
class register_ {
 public:
  explicit register_(T value = T()) : value_(std::move(value)) {}
  T load() const { return value_; }
  void store(T value) { value_ = std::move(value); }
  T exchange(T value) { return std::exchange(value_, std::move(value)); }
  bool compare_exchange(const T& expected, T desired) {
    if (!(value_ == expected)) return false;
    value_ = std::move(desired);
    return true;
  }
  friend bool operator==(const register_& a, const register_& b) { return a.value_ == b.value_; }

 private:
  T value_;
};

template <typename Number = int>
class counter {
 public:
  explicit counter(Number value = Number()) : value_(value) {}
  /// Returns the value before.
  Number add(Number amount) { return std::exchange(value_, static_cast<Number>(value_ + amount)); }
  Number increment() { return add(1); }
  Number decrement() { return add(static_cast<Number>(-1)); }
  Number get() const { return value_; }
  friend bool operator==(const counter& a, const counter& b) { return a.value_ == b.value_; }

 private:
  Number value_;
};

class lock {
 public:
  bool try_lock() { return !std::exchange(is_locked_, true); }
  void unlock() { is_locked_ = false; }
  bool is_locked() const { return is_locked_; }
  friend bool operator==(const lock& a, const lock& b) { return a.is_locked_ == b.is_locked_; }

 private:
  bool is_locked_ = false;
};

class semaphore {
 public:
  explicit semaphore(unsigned count) : count_(count) {}
  bool try_acquire() {
    if (count_ == 0) return false;
    --count_;
    return true;
  }
  void release() { ++count_; }
  unsigned count() const { return count_; }
  friend bool operator==(const semaphore& a, const semaphore& b) { return a.count_ == b.count_; }

 private:
  unsigned count_;
};

}  // namespace heddle::specification
