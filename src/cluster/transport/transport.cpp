#include "cluster/transport/transport.hpp"

#include <utility>

namespace heddle::transport {

void Transport::send(std::size_t to, std::shared_ptr<const std::string> bytes) {
  ++traffic_.messages_sent;
  traffic_.bytes_sent += bytes->size();
  post(to, std::move(bytes));
}

bool Transport::has_message() {
  if (!next_) next_ = poll();
  return next_.has_value();
}

std::optional<Message> Transport::receive() {
  if (!has_message()) return std::nullopt;
  ++traffic_.messages_received;
  traffic_.bytes_received += next_->bytes.size();
  return std::exchange(next_, std::nullopt);
}

}  // namespace heddle::transport
