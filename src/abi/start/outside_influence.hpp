// What the program used in an execution that heddle does not control: files, the real clock. If the program does not do
// the same again, the report names what may be the reason.
#pragma once

#include <cstddef>

namespace heddle::abi {

/// An execution begins: forgets what the last one used.
void forget_influences();
/// The program opens a file, to read it, to write to it, or both.
void record_file_use(const char* path, bool reads, bool writes);
/// The program reads the real time with a system call.
void record_real_clock();

/// The first file that the execution opened to write to it; null if there is none.
const char* written_file();
/// Writes a clause, "it depends on the file state.txt, which it reads and writes", on what made the program behave
/// differently: the likeliest of what it used.
void describe_influence(char* text, std::size_t size, bool has_random_addresses);

}  // namespace heddle::abi
