#include "campaign/workers/channel_gaps.hpp"

#include <filesystem>
#include <memory>

#include "findings/symbolizer.hpp"

namespace heddle::campaign {

namespace {

std::string name_of_code(ChannelMemory& channel, const std::string& file, std::uint64_t function) {
  if (function == 0) return file;
  findings::Finding place;
  place.stack.pcs = {function};
  place.modules = std::make_shared<findings::ModuleMap>(findings::ModuleMap::decode(channel.modules()));
  findings::Symbolizer().symbolize(place);
  if (place.stack.frames.empty() || place.stack.frames.back().function.empty()) return "a function in " + file;
  const findings::Frame& frame = place.stack.frames.back();
  const std::string source =
      frame.file.empty() ? "" : " (" + std::filesystem::path(frame.file).filename().string() + ")";
  return "the function " + frame.function + source + " in " + file;
}

/// The letters are those of engine/isolation/unseen_code.hpp.
std::string clause_of(char reason, const std::string& code) {
  switch (reason) {
    case 'a':
      return code + " has atomic instructions of inline assembly, and heddle does not see what they do to memory";
    case 's':
      return code +
             " stores a struct that a call has returned, which gcc does not announce; copy it from a local "
             "variable instead";
    case 'p':
      return code +
             " passes a struct by value, and the compiler does not announce that it is read; pass a pointer instead";
    case 'v': return code + " writes a variable without announcing it, as inline assembly does";
    case 'c':
      return "the program uses memory resources (std::pmr) or old strings of the C++ library, and heddle does not see "
             "what they do to memory";
    case 'l':
      return "the program calls the function " + code +
             " of the C library, and heddle does not see what it does to memory";
    default: break;
  }
  return code + " is not instrumented, and heddle does not see what it does to memory; compile it with heddle cc or " +
         "heddle c++, or name a library that does its own locking with --trust";
}

}  // namespace

findings::ProofGaps proof_gaps(ChannelMemory& channel) {
  channel::Progress& progress = channel.progress();
  findings::ProofGaps gaps;
  gaps.set = channel::ProofGaps(progress.proof_gaps.load());
  progress.unseen_code[sizeof progress.unseen_code - 1] = '\0';
  if (gaps.set.has(channel::ProofGap::uninstrumented_code) && progress.unseen_code[0] != '\0')
    gaps.code = clause_of(progress.unseen_code[0],
                          name_of_code(channel, std::filesystem::path(progress.unseen_code + 1).filename().string(),
                                       progress.unseen_function.load()));
  return gaps;
}

}  // namespace heddle::campaign
