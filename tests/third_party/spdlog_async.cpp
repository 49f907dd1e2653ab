// spdlog's asynchronous logger, header-only: two threads log, a worker thread writes, the end writes out the rest. The
// queue holds two messages, so it is full and empty in between, and its places are used again.
// heddle: clean
// heddle-flags: -DSPDLOG_FMT_EXTERNAL -DFMT_HEADER_ONLY
#include <spdlog/async.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cassert>
#include <memory>
#include <sstream>
#include <thread>

int main() {
  std::ostringstream text;
  {
    auto pool = std::make_shared<spdlog::details::thread_pool>(2, 1);
    auto sink = std::make_shared<spdlog::sinks::ostream_sink_mt>(text);
    auto logger = std::make_shared<spdlog::async_logger>("test", sink, pool, spdlog::async_overflow_policy::block);
    logger->set_pattern("%v");
    std::thread other([&] {
      logger->info("from {}", "another thread");
      logger->warn("and again");
    });
    logger->info("from main");
    logger->warn("{} and {}", 1, 2);
    other.join();
    logger->flush();
  }
  const std::string written = text.str();
  assert(std::count(written.begin(), written.end(), '\n') == 4);
}
