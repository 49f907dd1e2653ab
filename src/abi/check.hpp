// heddle::check: programs that test parts of themselves keep their main; see abi/check.cpp.
#pragma once

#include "channel/channel.hpp"

namespace heddle::abi {

/// The program calls heddle_check: its main is its own. `driver` is the channel of a replay, or null.
void leave_main_alone(channel::Channel* driver);
/// True from then on.
bool is_main_left_alone();

}  // namespace heddle::abi
