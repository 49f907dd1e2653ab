// Which open files a worker inherits: those that the driver itself has inherited. The driver and its libraries open
// others, some without O_CLOEXEC: libdebuginfod has sockets, and so has MPI. In a worker they would take numbers from
// the program's own files: the numbers would depend on what the driver has done before it started the worker.
#pragma once

#include <span>
#include <vector>

namespace heddle::campaign {

/// Descriptors from `first` to `last`, inclusive.
struct DescriptorRange {
  unsigned first;
  unsigned last;
};

/// The ranges of descriptors above the standard ones that are not in `kept`, which is sorted.
std::vector<DescriptorRange> ranges_without(std::span<const int> kept);

/// The ranges that a worker must not inherit. With a launcher (has_launcher()) the driver's files are the launcher's,
/// and the worker inherits none.
std::span<const DescriptorRange> files_of_driver();

}  // namespace heddle::campaign
