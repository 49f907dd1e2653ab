#include "campaign/settings.hpp"

#include <cstring>

namespace heddle::campaign {

namespace {

template <std::size_t size>
void copy_text(char (&out)[size], const std::string& text) {
  const std::size_t count = std::min(text.size(), size - 1);
  std::memcpy(out, text.data(), count);
  out[count] = '\0';
}

}  // namespace

const char* isolation_name(channel::Isolation isolation) {
  switch (isolation) {
    case channel::Isolation::automatic: return "auto";
    case channel::Isolation::reset: return "reset";
    case channel::Isolation::fork: return "fork";
  }
  return "auto";
}

std::optional<channel::Isolation> isolation_from_name(std::string_view name) {
  if (name == "auto") return channel::Isolation::automatic;
  if (name == "reset") return channel::Isolation::reset;
  if (name == "fork") return channel::Isolation::fork;
  return std::nullopt;
}

channel::Request make_request(const Settings& settings, std::uint64_t first, std::uint64_t stride) {
  channel::Request request{};
  request.mode = settings.mode;
  request.isolation = settings.isolation;
  request.seed = settings.seed;
  request.first_execution = first;
  request.stride = stride;
  request.end_execution = settings.end_execution;
  request.max_events = settings.max_events;
  request.max_memory = settings.max_memory;
  request.release_sequence_c11 = settings.release_sequence_c11 ? 1 : 0;
  request.stop_on_bug = settings.stop_on_bug ? 1 : 0;
  request.show_output = settings.show_output ? 1 : 0;
  request.check_leaks = settings.leaks ? 1 : 0;
  request.stdin_given = settings.stdin_path.empty() ? 0 : 1;
  request.check = settings.check;
  copy_text(request.model, settings.model);
  copy_text(request.strategy, settings.strategy);
  return request;
}

}  // namespace heddle::campaign
