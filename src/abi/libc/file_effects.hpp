// What functions of the C library do to files, names of files and streams, as effects of their rows (checked_call.hpp).
// Uses of files count for every caller: std::filesystem and the streams of C++ are code of a library.
// Template arguments are positions of the function's arguments.
#pragma once

#include <cstdio>

#include "abi/libc/checked_call.hpp"
#include "abi/start/runtime.hpp"

namespace heddle::abi {

using Uses = engine::FileUses;

template <int path, auto use>
inline constexpr Effect uses_path{Effect::Time::before_any_caller, [](Call& call) {
                                    (running()->file_uses().*use)(call.pointer<const char>(path), call.site);
                                  }};
template <int path>
inline constexpr Effect looks_up = uses_path<path, &Uses::look_up>;
template <int path>
inline constexpr Effect changes_name = uses_path<path, &Uses::change_name>;
template <int path>
inline constexpr Effect asks_for_size = uses_path<path, &Uses::ask_for_size>;
template <int path>
inline constexpr Effect changes_size = uses_path<path, &Uses::change_size>;
template <int path>
inline constexpr Effect lists = uses_path<path, &Uses::list>;

template <int fd, auto use>
inline constexpr Effect uses_file{Effect::Time::before_any_caller, [](Call& call) {
                                    (running()->file_uses().*use)(static_cast<int>(call.number(fd)), call.site);
                                  }};
template <int fd>
inline constexpr Effect reads_file_at = uses_file<fd, &Uses::read_at>;
template <int fd>
inline constexpr Effect writes_file_at = uses_file<fd, &Uses::write_at>;
template <int fd>
inline constexpr Effect reads_file = uses_file<fd, &Uses::read>;
template <int fd>
inline constexpr Effect writes_file = uses_file<fd, &Uses::write>;

/// The stream is there: closing it races with this. Its own lock orders calls with each other.
inline void use_stream(const Call& call, FILE* stream) {
  if (stream != nullptr) running()->plain().use_object(address_of(stream), call.site);
}
template <int stream>
inline constexpr Effect uses_stream{Effect::Time::before,
                                    [](Call& call) { use_stream(call, call.pointer<FILE>(stream)); }};

template <int stream, auto use>
inline constexpr Effect uses_file_of_stream{Effect::Time::before, [](Call& call) {
                                              auto* const file = call.pointer<FILE>(stream);
                                              use_stream(call, file);
                                              if (file != nullptr)
                                                (running()->file_uses().*use)(::fileno_unlocked(file), call.site);
                                            }};
template <int stream>
inline constexpr Effect reads_stream = uses_file_of_stream<stream, &Uses::read>;
template <int stream>
inline constexpr Effect writes_stream = uses_file_of_stream<stream, &Uses::write>;
/// A function that does not take the stream's lock races with another such call. The lock of other calls is the C
/// library's, which heddle does not see, so a race with them is missed.
template <int stream>
inline constexpr Effect uses_stream_without_lock{Effect::Time::before, [](Call& call) {
                                                   auto* const file = call.pointer<FILE>(stream);
                                                   use_stream(call, file);
                                                   if (file != nullptr)
                                                     announce(call, &file->_IO_read_ptr, sizeof file->_IO_read_ptr,
                                                              true);
                                                 }};

}  // namespace heddle::abi
