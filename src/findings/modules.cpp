#include "findings/modules.hpp"

#include <charconv>
#include <nlohmann/json.hpp>

namespace heddle::findings {

std::uint64_t parse_address(std::string_view text) {
  if (text.starts_with("0x")) text.remove_prefix(2);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  return error == std::errc{} && end == text.data() + text.size() ? value : 0;
}

ModuleMap ModuleMap::parse(std::string_view json_text) {
  ModuleMap map;
  const auto json = nlohmann::json::parse(json_text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_array()) return map;
  for (const auto& entry : json) {
    if (!entry.is_object()) continue;
    const auto text = [&](const char* name) {
      const auto found = entry.find(name);
      return found != entry.end() && found->is_string() ? found->get<std::string>() : std::string{};
    };
    Module module{text("path"), parse_address(text("base")), parse_address(text("begin")), parse_address(text("end")),
                  text("build_id")};
    if (module.begin < module.end) map.modules_.push_back(std::move(module));
  }
  return map;
}

const Module* ModuleMap::find(std::uint64_t address) const {
  for (const Module& module : modules_) {
    if (address >= module.begin && address < module.end) return &module;
  }
  return nullptr;
}

}  // namespace heddle::findings
