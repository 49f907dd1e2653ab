#include "engine/processes/descriptor_uses.hpp"

#include <fcntl.h>
#include <sys/syscall.h>

#include "engine/isolation/real.hpp"
#include "engine/reporting/finding_sink.hpp"

namespace heddle::engine {

void DescriptorUses::open(int fd) {
  if (fd < 0) return;
  const auto index = static_cast<std::size_t>(fd);
  if (index >= numbers_.size()) numbers_.resize(execution_arena_, index + 1);
  races::Cell& cell = races_.cell(cell_of(fd));
  cell.count = 0;
  cell.more.clear();
  numbers_[index] = Number::open;
}

/// A number that was closed may have a file again that the program was not seen to open.
bool DescriptorUses::is_followed(int fd) {
  Number& number = numbers_[static_cast<std::size_t>(fd)];
  if (number == Number::closed && real().syscall(SYS_fcntl, fd, F_GETFD) >= 0) number = Number::unknown;
  return number != Number::unknown;
}

void DescriptorUses::note(int fd, races::AccessType type, std::uint64_t site) {
  ProgramThread& self = threads_.current();
  if (fd < 0 || self.ignore_depth != 0 || !modules_.is_instrumented_code(site) || !is_followed(fd)) return;
  const graph::Thread& thread = graph_.thread(self.id);
  races::Access access;
  access.address = cell_of(fd);
  access.size = 1;
  access.type = type;
  access.thread = self.id;
  access.index = thread.plain_index();
  access.clock = thread.clock;
  access.site = site;
  access.stack = self.calls.intern(stacks_);
  if (const auto conflict = races_.access(access)) findings_.report_descriptor_race(access, *conflict);
}

}  // namespace heddle::engine
