// The result of heddle_check: figures from the channel, and findings that the driver has described.
#pragma once

#include "channel/channel.hpp"
#include "heddle/heddle.h"

namespace heddle::abi {

/// A result that holds only a status and a sentence.
heddle_result result_of(int status, const char* format, ...) __attribute__((format(printf, 2, 3)));
/// The figures of the check `name`, without findings.
heddle_result summarise(const channel::Channel& channel, const char* name, double seconds);
/// The driver writes traces to the folder `out` and a report; this function adds both to the result. If there is no
/// driver, the result does not change.
void add_findings(heddle_result& result, int channel_fd, const char* out, const char* name);

}  // namespace heddle::abi
