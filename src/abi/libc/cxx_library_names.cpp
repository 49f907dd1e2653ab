#include "abi/libc/cxx_library_names.hpp"

#include <cstring>

namespace heddle::abi {

namespace {

/// The rest of a mangled name that is being read.
class Reader {
 public:
  explicit Reader(const char* text) : at_(text) {}

  bool take(const char* text) {
    const std::size_t length = std::strlen(text);
    if (std::strncmp(at_, text, length) != 0) return false;
    at_ += length;
    return true;
  }
  bool begins_with(const char* text) const { return std::strncmp(at_, text, std::strlen(text)) == 0; }
  bool is_at_end() const { return *at_ == '\0'; }
  void skip(std::size_t characters) { at_ += characters; }
  bool is_at_digit() const { return *at_ >= '0' && *at_ <= '9'; }
  const char* rest() const { return at_; }
  /// An identifier: its length and its letters. Two letters are the name of an operator, a constructor or a destructor.
  bool skip_name() {
    if (!is_at_digit()) {
      if (at_[0] == '\0' || at_[1] == '\0') return false;
      at_ += 2;
      return true;
    }
    std::size_t length = 0;
    while (is_at_digit()) length = length * 10 + static_cast<std::size_t>(*at_++ - '0');
    if (std::strlen(at_) < length) return false;
    at_ += length;
    return true;
  }

 private:
  const char* at_;
};

bool is_one_of(const Reader& name, const char* const* list) {
  for (; *list != nullptr; ++list)
    if (name.begins_with(*list)) return true;
  return false;
}

// Names are followed by E, the end of the nested name, so that no name is the beginning of another one.
constexpr const char* no_access[] = {"12_Alloc_hider",
                                     "12_M_constructI",
                                     "13_M_local_dataE",
                                     "13get_allocatorE",
                                     "14_M_replace_coldE",
                                     "16_M_get_allocatorE",
                                     "4nposE",
                                     "7_S_",
                                     "8max_sizeE",
                                     "8_M_checkE",
                                     "8_M_limitE",
                                     "9_M_createE",
                                     "9_S_",
                                     "10_S_",
                                     "11_S_",
                                     "12_S_",
                                     "13_S_",
                                     "15_M_check_lengthE",
                                     "17_S_",
                                     nullptr};
constexpr const char* read_ends[] = {
    "10_M_is_localE", "11_M_disjunctE", "2atE",      "3endE",      "4backE",  "4cendE",  "4dataE",   "4rendE",
    "4sizeE",         "5beginE",        "5c_strE",   "5crendE",    "5emptyE", "5frontE", "6cbeginE", "6lengthE",
    "6rbeginE",       "7_M_dataEv",     "7crbeginE", "8capacityE", "ixE",     nullptr};
constexpr const char* make_string[] = {"C1E",      "C2E",  "C1I", "C2I", "12_M_construct", "18_M_construct_aux_2E",
                                       "6__initE", nullptr};
constexpr const char* end_string[] = {"D1E", "D2E", "10_M_disposeE", "10_M_destroyE", nullptr};
constexpr const char* constructors[] = {"C1E", "C2E", "C1I", "C2I", nullptr};

class Description {
 public:
  explicit Description(CxxCall& call) : call_(call) {}

  void add(CxxEffect effect, unsigned position) {
    if (effect == CxxEffect::none || count_ == CxxCall::most_effects) return;
    call_.arguments[count_++] = {effect, static_cast<std::uint8_t>(position)};
  }
  /// Parameters from the one at `position` on: numbers, characters, texts and strings. Others end the list.
  void add_parameters(Reader& types, unsigned position) {
    for (; !types.is_at_end(); ++position) {
      if (types.take("PKc") || types.take("PKw")) {
        add(types.begins_with("m") ? CxxEffect::read_array : CxxEffect::read_text, position);
      } else if (types.take("RKS4_") || types.take("RKS5_")) {
        add(CxxEffect::read_string, position);
      } else if (types.take("OS4_") || types.take("RS4_") || types.take("OS5_") || types.take("RS5_")) {
        add(CxxEffect::write_string, position);
      } else if (!types.take("m") && !types.take("c") && !types.take("w")) {
        return;
      }
    }
  }

 private:
  CxxCall& call_;
  std::size_t count_ = 0;
};

CxxEffect effect_on_string(const Reader& name, bool is_const) {
  if (is_one_of(name, make_string) && !is_one_of(name, no_access)) return CxxEffect::make_string;
  if (is_one_of(name, no_access)) return CxxEffect::none;
  if (is_one_of(name, end_string)) return CxxEffect::end_string;
  if (is_one_of(name, read_ends)) return CxxEffect::read_ends;
  return is_const ? CxxEffect::read_string : CxxEffect::write_string;
}

/// A member function of std::string, from its name on.
void describe_string(CxxCall& call, Reader name, bool is_const) {
  Description description(call);
  // A string that is returned lies where the first argument says.
  const unsigned self = is_const && name.begins_with("6substrE") ? 1 : 0;
  const CxxEffect effect = effect_on_string(name, is_const);
  description.add(effect, self);
  if (effect == CxxEffect::none || !name.skip_name() || !name.take("E")) return;
  description.add_parameters(name, self + 1);
}

bool take_string_class(Reader& name, CxxCall& call) {
  call.is_llvm = name.begins_with("St3__1");
  if (name.take("St7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE") ||
      name.take("St3__112basic_stringIcNS_11char_traitsIcEENS_9allocatorIcEEE"))
    return true;
  call.character_size = sizeof(wchar_t);
  return name.take("St7__cxx1112basic_stringIwSt11char_traitsIwESaIwEE") ||
         name.take("St3__112basic_stringIwNS_11char_traitsIwEENS_9allocatorIwEEE");
}

constexpr const char* stream_classes[] = {"So",
                                          "Si",
                                          "Sd",
                                          "St13basic_ostreamI",
                                          "St13basic_istreamI",
                                          "St14basic_iostreamI",
                                          "St14basic_ofstreamI",
                                          "St14basic_ifstreamI",
                                          "St13basic_fstreamI",
                                          "St7__cxx1119basic_ostringstreamI",
                                          "St7__cxx1119basic_istringstreamI",
                                          "St7__cxx1118basic_stringstreamI",
                                          "St3__113basic_ostreamI",
                                          "St3__113basic_istreamI",
                                          "St3__114basic_iostreamI",
                                          "St3__114basic_ofstreamI",
                                          "St3__114basic_ifstreamI",
                                          "St3__113basic_fstreamI",
                                          "St3__119basic_ostringstreamI",
                                          "St3__119basic_istringstreamI",
                                          "St3__118basic_stringstreamI",
                                          nullptr};
// Parts of streams.
constexpr const char* buffer_classes[] = {"St13basic_filebufI", "St7__cxx1115basic_stringbufI",
                                          "St3__113basic_filebufI", "St3__115basic_stringbufI", nullptr};
// Functions whose first argument is a stream, of these names.
constexpr const char* stream_functions[] = {"StlsI",
                                            "StrsI",
                                            "St16__ostream_insertI",
                                            "St4endlI",
                                            "St4endsI",
                                            "St5flushI",
                                            "St2wsI",
                                            "St7getlineI",
                                            "St3__1lsI",
                                            "St3__1rsI",
                                            "St3__17getlineI",
                                            "NSt3__1lsI",
                                            "NSt3__1rsI",
                                            "NSt3__17getlineI",
                                            nullptr};

/// str() and what else returns an object that is not a number has the stream as second argument.
bool describe_stream(CxxCall& call, Reader name, bool is_const) {
  const bool is_buffer = is_one_of(name, buffer_classes);
  if (!is_buffer && !is_one_of(name, stream_classes)) return false;
  Description description(call);
  const char* rest = name.rest();
  const std::size_t length = std::strlen(rest);
  const bool returns_text = is_const && length > 6 && std::strcmp(rest + length - 6, "3strEv") == 0;
  call.size = 8;
  const CxxEffect of_stream = is_const ? CxxEffect::read_stream : CxxEffect::use_stream;
  const CxxEffect of_buffer = is_const ? CxxEffect::read_object : CxxEffect::write_object;
  description.add(is_buffer ? of_buffer : of_stream, returns_text ? 1 : 0);
  return true;
}

constexpr const char* path_parts[] = {"9root_nameE",
                                      "14root_directoryE",
                                      "9root_pathE",
                                      "13relative_pathE",
                                      "11parent_pathE",
                                      "16lexically_normalE",
                                      "18lexically_relativeE",
                                      "19lexically_proximateE",
                                      "8filenameE",
                                      "4stemE",
                                      "9extensionE",
                                      nullptr};

bool describe_path(CxxCall& call, Reader name, bool is_const) {
  if (!name.take("St10filesystem7__cxx114path")) return false;
  // Classes inside path: its list of components, its iterators.
  if (name.begins_with("5_List") || name.begins_with("8iterator") || name.begins_with("7_Parser")) return true;
  call.size = 5;
  const CxxEffect effect = is_one_of(name, constructors) ? CxxEffect::make_object
                           : is_const                    ? CxxEffect::read_object
                                                         : CxxEffect::write_object;
  Description(call).add(effect, is_const && is_one_of(name, path_parts) ? 1 : 0);
  return true;
}

struct Row {
  const char* name;
  CxxEffect effect;
};
constexpr Row rows[] = {
    {"_ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_", CxxEffect::tree_insert},
    {"_ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_", CxxEffect::tree_erase},
    {"_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base", CxxEffect::tree_next},
    {"_ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base", CxxEffect::tree_next},
    {"_ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base", CxxEffect::tree_previous},
    {"_ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base", CxxEffect::tree_previous},
    {"_ZNSt8__detail15_List_node_base7_M_hookEPS0_", CxxEffect::list_hook},
    {"_ZNSt8__detail15_List_node_base9_M_unhookEv", CxxEffect::list_unhook},
    {"_ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_", CxxEffect::list_transfer},
    {"_ZNSt8__detail15_List_node_base10_M_reverseEv", CxxEffect::list_reverse},
    {"_ZNSt8__detail15_List_node_base4swapERS0_S1_", CxxEffect::list_swap},
};

}  // namespace

CxxCall describe_cxx_function(const char* mangled_name) {
  CxxCall call;
  for (const Row& row : rows)
    if (std::strcmp(mangled_name, row.name) == 0) {
      Description(call).add(row.effect, 0);
      return call;
    }
  Reader name(mangled_name);
  if (!name.take("_Z")) return call;
  if (is_one_of(name, stream_functions)) {
    Description(call).add(CxxEffect::use_stream, 0);
    return call;
  }
  if (!name.take("N")) return call;
  const bool is_const = name.take("K");
  if (name.begins_with("RS") || name.begins_with("OS")) name.skip(1);  // a qualifier: of lvalues, or of rvalues
  if (describe_stream(call, name, is_const) || describe_path(call, name, is_const)) return call;
  if (take_string_class(name, call)) describe_string(call, name, is_const);
  return call;
}

}  // namespace heddle::abi
