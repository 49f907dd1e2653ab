// A register with three operations, each a load, store or exchange with the memory order that the command line names:
// registers FILE CALLS THREADS load:acquire store:release exchange:relaxed. Appends the history of each execution to
// the file. For tests/system/linearizability.py, which knows which histories there are.
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "heddle/linearizable.h"

namespace {

std::atomic<int> value{0};
heddle_client client;
int results[heddle_most_client_calls];
sem_t ended[heddle_most_client_calls];
std::string operations[3];

template <std::memory_order order>
int call(const std::string& kind, int fresh) {
  if constexpr (order != std::memory_order_release && order != std::memory_order_acq_rel)
    if (kind == "load") return value.load(order);
  if constexpr (order != std::memory_order_acquire && order != std::memory_order_acq_rel)
    if (kind == "store") {
      value.store(fresh, order);
      return 0;
    }
  return value.exchange(fresh, order);
}

int call(const std::string& operation, int fresh) {
  const auto colon = operation.find(':');
  const std::string kind = operation.substr(0, colon), order = operation.substr(colon + 1);
  if (order == "relaxed") return call<std::memory_order_relaxed>(kind, fresh);
  if (order == "acquire") return call<std::memory_order_acquire>(kind, fresh);
  if (order == "release") return call<std::memory_order_release>(kind, fresh);
  if (order == "acq_rel") return call<std::memory_order_acq_rel>(kind, fresh);
  return call<std::memory_order_seq_cst>(kind, fresh);
}

void* run_thread(void* argument) {
  const auto thread = reinterpret_cast<std::uintptr_t>(argument);
  for (unsigned i = 0; i < client.call_count; ++i) {
    if (client.calls[i].thread != thread) continue;
    for (unsigned w = 0; w < client.wait_count; ++w)
      if (client.waits[w].later == i) sem_wait(&ended[w]);
    heddle_call_begins(i);
    results[i] = call(operations[client.calls[i].operation], static_cast<int>(i) + 1);
    heddle_call_ends(i);
    for (unsigned w = 0; w < client.wait_count; ++w)
      if (client.waits[w].earlier == i) sem_post(&ended[w]);
  }
  return nullptr;
}

}  // namespace

int main(int, char** argv) {
  for (int i = 0; i < 3; ++i) operations[i] = argv[4 + i];
  const heddle_operation choices[3] = {{1, 0, 0}, {1, 0, 0}, {1, 0, 0}};
  const heddle_client_bound bound = {static_cast<unsigned>(std::atoi(argv[2])),
                                     static_cast<unsigned>(std::atoi(argv[3]))};
  heddle_clients clients{};
  clients.operations = choices;
  clients.operation_count = 3;
  clients.bounds = &bound;
  clients.bound_count = 1;
  clients.waits = 24;
  heddle_choose_client(&clients, &client);
  for (unsigned w = 0; w < client.wait_count; ++w) sem_init(&ended[w], 0, 0);
  pthread_t threads[4];
  for (std::uintptr_t t = 0; t < client.threads; ++t)
    pthread_create(&threads[t], nullptr, run_thread, reinterpret_cast<void*>(t + 1));
  for (unsigned t = 0; t < client.threads; ++t) pthread_join(threads[t], nullptr);

  std::string line;
  for (unsigned i = 0; i < client.call_count; ++i) {
    line += std::to_string(client.calls[i].thread) + ":" + std::to_string(client.calls[i].operation) + "=" +
            std::to_string(results[i]) + "<";
    for (unsigned j = 0; j < client.call_count; ++j)
      if (heddle_call_comes_before(j, i) != 0) line += std::to_string(j) + ".";
    line += " ";
  }
  line += "|";
  for (unsigned w = 0; w < client.wait_count; ++w)
    line += " " + std::to_string(client.waits[w].earlier) + "<" + std::to_string(client.waits[w].later);
  line += "\n";
  const int file = open(argv[1], O_WRONLY | O_APPEND | O_CREAT, 0644);
  if (write(file, line.data(), line.size()) < 0) return 1;
  close(file);
  return 0;
}
