// heddle::check: a program that calls it keeps its own main. See abi/start/check.cpp.
#pragma once

#include "channel/channel.hpp"

namespace heddle::abi {

/// Prepares for a program that calls heddle_check: main runs once, without the scheduler. `driver` is the channel of a
/// replay, or null.
void leave_main_alone(channel::Channel* driver);
/// True after leave_main_alone().
bool is_main_left_alone();

}  // namespace heddle::abi
