// What heddle_check returns: figures from the channel, and findings in the words of the driver.
#pragma once

#include "channel/channel.hpp"
#include "heddle/heddle.h"

namespace heddle::abi {

/// A result that is a sentence, and otherwise empty.
heddle_result result_of(int status, const char* format, ...) __attribute__((format(printf, 2, 3)));
/// What the check `name` came to, without its findings.
heddle_result summarise(const channel::Channel& channel, const char* name, double seconds);
/// Lets the driver write traces to the folder `out` and word the report, and adds both to the result. The result
/// stays as it is if there is no driver.
void add_findings(heddle_result& result, int channel_fd, const char* out, const char* name);

}  // namespace heddle::abi
