#include "picture/box_texts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "story/words.hpp"

namespace heddle::picture {

namespace {

using story::EventKind;

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

/// The label of the thread on the other side of a create or a join; empty: the log does not say.
std::string other_thread(const story::ExecutionLog& log, story::EventNumber number) {
  const story::Event& event = log.events[number];
  if (event.kind == EventKind::join) {
    for (const story::EventNumber source : event.synchronises_with)
      if (log.events[source].thread) return log.threads[*log.events[source].thread].label;
    return {};
  }
  for (story::EventNumber i = number + 1; i < log.events.size(); ++i) {
    const story::Event& other = log.events[i];
    if (other.kind != EventKind::start || !other.thread) continue;
    const auto& sources = other.synchronises_with;
    if (std::find(sources.begin(), sources.end(), number) != sources.end()) return log.threads[*other.thread].label;
  }
  return {};
}

std::string with(const std::string& operation, const std::string& object) {
  return object.empty() ? operation : fmt::format("{} {}", operation, object);
}

}  // namespace

std::string label_of(const story::ExecutionLog& log, story::EventNumber number) {
  const story::Event& event = log.events[number];
  const std::string name = event.location ? log.locations[*event.location].name : "";
  const auto value = [&](const std::optional<graph::Value>& of) {
    return of ? story::value_text(log, *of, event.size) : std::string("?");
  };
  std::string operation = story::operation_noun(event);
  switch (event.kind) {
    case EventKind::init: return fmt::format("{} = {}", name, value(event.written));
    case EventKind::load: return fmt::format("load {} = {}", name, value(event.read));
    case EventKind::store: return fmt::format("store {} = {}", name, value(event.written));
    case EventKind::rmw: return fmt::format("{} {} {} → {}", operation, name, value(event.read), value(event.written));
    case EventKind::failed_exchange: return fmt::format("{} {} = {}", operation, name, value(event.read));
    case EventKind::plain_read:
      return event.read ? fmt::format("read {} = {}", name, value(event.read)) : "read " + name;
    case EventKind::plain_write:
      return event.written ? fmt::format("write {} = {}", name, value(event.written)) : "write " + name;
    case EventKind::create: return with("create", other_thread(log, number));
    case EventKind::join: return with("join", other_thread(log, number));
    case EventKind::start:
    case EventKind::finish: return story::name_of(event.kind);
    case EventKind::allocation: return fmt::format("allocate {} bytes", event.size);
    case EventKind::fence:
    case EventKind::other: return operation;
    case EventKind::free:
    case EventKind::lock:
    case EventKind::unlock: return with(operation, name == operation ? "" : name);
  }
  return operation;
}

std::size_t length_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !continues_character(c); }));
}

std::string shortened(const std::string& text, std::size_t most) {
  const std::size_t length = length_of(text);
  if (length <= most) return text;
  const std::size_t tail = most / 3, head = most - tail - 1;
  std::string result;
  std::size_t at = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!continues_character(text[i]) && ++at == head + 1) result += "…";
    if (at <= head || at > length - tail) result += text[i];
  }
  return result;
}

}  // namespace heddle::picture
