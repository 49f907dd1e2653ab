// The program of server.cpp and of its variants with seeded bugs, in tests/programs/wrong/server_*.cpp.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cassert>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

enum class Bug {
  none,
  unlocked_statistics,  ///< workers count requests without the lock
  lost_request,         ///< workers look at the queue before they lock it, and may sleep for ever
  early_close,          ///< the accept loop closes a connection that a worker still uses
};

class Server {
 public:
  explicit Server(Bug bug) : bug_(bug) {
    listener_ = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    const int yes = 1;
    setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert(bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    assert(listen(listener_, 16) == 0);
    socklen_t size = sizeof address;
    assert(getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) == 0);
    port_ = ntohs(address.sin_port);
    assert(port_ != 0);
    stop_ = eventfd(0, EFD_NONBLOCK);
    set_ = epoll_create1(0);
    watch(listener_);
    watch(stop_);
    acceptor_ = std::thread([this] { accept_loop(); });
    for (int i = 0; i < 2; ++i) workers_.emplace_back([this] { work(); });
  }

  ~Server() {
    assert(eventfd_write(stop_, 1) == 0);
    acceptor_.join();
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    changed_.notify_all();
    for (std::thread& worker : workers_) worker.join();
    for (const int fd : {listener_, stop_, set_}) close(fd);
  }

  std::uint16_t port() const { return port_; }
  int served() {
    const std::lock_guard lock(mutex_);
    return served_;
  }

 private:
  void watch(int fd) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = fd;
    assert(epoll_ctl(set_, EPOLL_CTL_ADD, fd, &event) == 0);
  }

  void accept_loop() {
    for (;;) {
      epoll_event events[4];
      const int ready = epoll_wait(set_, events, 4, -1);
      for (int i = 0; i < ready; ++i) {
        if (events[i].data.fd == stop_) return;
        sockaddr_in client{};
        socklen_t size = sizeof client;
        const int connection = accept4(listener_, reinterpret_cast<sockaddr*>(&client), &size, SOCK_CLOEXEC);
        if (connection < 0) continue;
        assert(client.sin_family == AF_INET && ntohl(client.sin_addr.s_addr) == INADDR_LOOPBACK);
        {
          const std::lock_guard lock(mutex_);
          queue_.push_back(connection);
        }
        changed_.notify_one();
        if (bug_ == Bug::early_close) close(connection);
      }
    }
  }

  void work() {
    for (;;) {
      if (bug_ == Bug::lost_request) {
        bool is_empty = false;
        {
          const std::lock_guard lock(mutex_);
          is_empty = queue_.empty() && !stopping_;
        }
        std::unique_lock lock(mutex_);
        if (is_empty) changed_.wait(lock);
      }
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return !queue_.empty() || stopping_; });
      if (queue_.empty()) return;
      const int connection = queue_.front();
      queue_.pop_front();
      lock.unlock();
      serve(connection);
    }
  }

  /// Answers each line with its length, until the client is done.
  void serve(int connection) {
    std::string line;
    char byte = 0;
    while (recv(connection, &byte, 1, 0) == 1) {
      if (byte != '\n') {
        line += byte;
        continue;
      }
      const std::string answer = std::to_string(line.size()) + "\n";
      assert(send(connection, answer.data(), answer.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(answer.size()));
      line.clear();
      if (bug_ == Bug::unlocked_statistics) {
        ++served_;
      } else {
        const std::lock_guard lock(mutex_);
        ++served_;
      }
    }
    close(connection);
  }

  Bug bug_;
  int listener_ = -1, stop_ = -1, set_ = -1;
  std::uint16_t port_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<int> queue_;
  bool stopping_ = false;
  int served_ = 0;
  std::thread acceptor_;
  std::vector<std::thread> workers_;
};

inline int ask(std::uint16_t port, const std::string& text) {
  const int connection = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  assert(connect(connection, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  const int yes = 1;
  setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  const std::string line = text + "\n";
  assert(write(connection, line.data(), line.size()) == static_cast<ssize_t>(line.size()));
  std::string answer;
  char byte = 0;
  while (read(connection, &byte, 1) == 1 && byte != '\n') answer += byte;
  close(connection);
  return std::atoi(answer.c_str());
}

inline int run_server(Bug bug) {
  int served = 0;
  {
    Server server(bug);
    std::thread client([&] { assert(ask(server.port(), "four") == 4); });
    assert(ask(server.port(), "three") == 5);
    client.join();
    served = server.served();
  }
  return served <= 2 ? 0 : 1;
}
