#include "campaign/settings.hpp"

namespace heddle::campaign {

channel::Request make_request(const Settings& settings, std::uint64_t first, std::uint64_t stride) {
  channel::Request request{};
  request.run = settings.run;
  request.mode = settings.mode;
  request.first_execution = first;
  request.stride = stride;
  request.end_execution = settings.end_execution;
  request.gate = no_end;
  request.check = settings.check;
  return request;
}

}  // namespace heddle::campaign
