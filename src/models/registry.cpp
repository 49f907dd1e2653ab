#include "base/check.hpp"
#include "models/c11.hpp"
#include "models/pso.hpp"
#include "models/rc11.hpp"
#include "models/sc.hpp"
#include "models/tso.hpp"

namespace heddle::models {

namespace {

// The only list of the models.
constexpr const ModelDescriptor* registered[] = {&rc11_model, &c11_model, &sc_model,
                                                 &tso_model,  &pso_model, &pslo_model};

}  // namespace

std::span<const ModelDescriptor* const> registered_models() { return registered; }

const ModelDescriptor* find_model(std::string_view name) {
  for (const ModelDescriptor* model : registered)
    if (model->name == name) return model;
  return nullptr;
}

const ModelDescriptor& model_named(std::string_view name) {
  const ModelDescriptor* model = find_model(name);
  HEDDLE_CHECK(model != nullptr, "the memory model is not registered");
  return *model;
}

const MemoryModel* make_model(std::string_view name, const ModelOptions& options, base::Arena& arena) {
  const ModelDescriptor* model = find_model(name);
  return model == nullptr ? nullptr : model->make(options, arena);
}

}  // namespace heddle::models
