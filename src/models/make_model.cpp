#include "models/c11.hpp"
#include "models/memory_model.hpp"
#include "models/pso.hpp"
#include "models/rc11.hpp"
#include "models/sc.hpp"
#include "models/tso.hpp"

namespace heddle::models {

const MemoryModel* make_model(std::string_view name, const ModelOptions& options, base::Arena& arena) {
  if (name == "rc11")
    return arena.create<Rc11>(options.release_sequence, *arena.create<Rc11>(options.release_sequence));
  if (name == "c11") return arena.create<C11>(options.release_sequence);
  if (name == "sc") return arena.create<Sc>();
  if (name == "tso") return arena.create<Tso>();
  if (name == "pso") return arena.create<Pso>(PsoRules{OldReads::no, options.rmw});
  if (name == "pslo") return arena.create<Pso>(PsoRules{OldReads::allowed, options.rmw});
  return nullptr;
}

const char* model_names() { return "rc11, c11, sc, tso, pso, pslo"; }

}  // namespace heddle::models
