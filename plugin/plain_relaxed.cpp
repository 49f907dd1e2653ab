// A pass for clang: plain and volatile accesses to memory that threads may share become relaxed atomics, so that the
// instrumentation of -fsanitize=thread reports them to the runtime with their values. heddle cc --plain=relaxed loads
// it; docs/plain.md says what stays plain.
//
// The pass runs before all optimisations. After them, loads of a loop would be gone that the source code has, and a
// program would behave differently at -O0 and at -O2.
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/CaptureTracking.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Metadata.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>

#include <cstdint>

namespace {

using namespace llvm;

/// Memory that no other thread can reach: locals and arguments passed by value whose address stays in the function.
class PrivateMemory {
 public:
  bool contains(const Value* pointer) {
    const Value* object = getUnderlyingObject(pointer, 0);  // 0: no limit on the number of steps
    const auto* argument = dyn_cast<Argument>(object);
    if (!isa<AllocaInst>(object) && (argument == nullptr || !argument->hasByValAttr())) return false;
    const auto [entry, is_new] = is_private_.try_emplace(object, false);
    if (is_new) entry->second = !PointerMayBeCaptured(object, /*ReturnCaptures=*/true, /*StoreCaptures=*/true);
    return entry->second;
  }

 private:
  DenseMap<const Value*, bool> is_private_;
};

/// Whether an access of this type and alignment is one that the instrumentation can make atomic.
bool has_atomic(const Type* type, Align alignment, const DataLayout& layout) {
  if (!type->isIntegerTy() && !type->isPointerTy() && !type->isFloatTy() && !type->isDoubleTy()) return false;
  const std::uint64_t bits = layout.getTypeSizeInBits(const_cast<Type*>(type)).getFixedValue();
  return (bits == 8 || bits == 16 || bits == 32 || bits == 64) && alignment.value() * 8 >= bits;
}

bool is_constant(const Value* pointer) {
  const auto* global = dyn_cast<GlobalVariable>(getUnderlyingObject(pointer, 0));
  return global != nullptr && global->isConstant();
}

/// Constructors write the pointer to the table of virtual functions, which is the same for all threads that may call.
bool is_virtual_table_pointer(const Instruction& access) {
  const MDNode* tag = access.getMetadata(LLVMContext::MD_tbaa);
  return tag != nullptr && tag->isTBAAVtableAccess();
}

template <typename Access>
bool make_relaxed(Access& access, const Type* type, PrivateMemory& private_memory, const DataLayout& layout) {
  const Value* pointer = access.getPointerOperand();
  if (access.isAtomic() || access.getPointerAddressSpace() != 0 || pointer->isSwiftError()) return false;
  if (!has_atomic(type, access.getAlign(), layout)) return false;
  if (is_virtual_table_pointer(access) || is_constant(pointer) || private_memory.contains(pointer)) return false;
  access.setAtomic(AtomicOrdering::Monotonic);
  return true;
}

bool make_accesses_relaxed(Function& function) {
  if (!function.hasFnAttribute(Attribute::SanitizeThread)) return false;
  const DataLayout& layout = function.getParent()->getDataLayout();
  PrivateMemory private_memory;
  bool changed = false;
  for (BasicBlock& block : function)
    for (Instruction& instruction : block) {
      if (auto* load = dyn_cast<LoadInst>(&instruction))
        changed |= make_relaxed(*load, load->getType(), private_memory, layout);
      else if (auto* store = dyn_cast<StoreInst>(&instruction))
        changed |= make_relaxed(*store, store->getValueOperand()->getType(), private_memory, layout);
    }
  return changed;
}

/// Defines heddle_plain_is_relaxed (src/abi/start/runtime.hpp). Several objects of a program may do so.
void tell_runtime(Module& module) {
  Type* byte = Type::getInt8Ty(module.getContext());
  new GlobalVariable(module, byte, /*isConstant=*/true, GlobalValue::WeakAnyLinkage, ConstantInt::get(byte, 1),
                     "heddle_plain_is_relaxed");
}

struct PlainRelaxedPass : PassInfoMixin<PlainRelaxedPass> {
  PreservedAnalyses run(Module& module, ModuleAnalysisManager&) {
    bool changed = false;
    for (Function& function : module) changed |= make_accesses_relaxed(function);
    if (changed) tell_runtime(module);
    return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
  /// Functions without optimisation (optnone) need the pass as well.
  static bool isRequired() { return true; }
};

void add_to_pipeline(PassBuilder& builder) {
  builder.registerPipelineStartEPCallback(
      [](ModulePassManager& passes, OptimizationLevel) { passes.addPass(PlainRelaxedPass()); });
}

}  // namespace

extern "C" __attribute__((visibility("default"))) PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "heddle-plain-relaxed", LLVM_VERSION_STRING, add_to_pipeline};
}
