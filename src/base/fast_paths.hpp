// Code that exists for speed alone is conditional on base::fast_paths. A build with -DHEDDLE_FAST_PATHS=OFF has none of
// it and must give the same findings, graphs and numbers of events (tests/system/fast_paths.py).
#pragma once

namespace heddle::base {

#ifdef HEDDLE_NO_FAST_PATHS
inline constexpr bool fast_paths = false;
#else
inline constexpr bool fast_paths = true;
#endif

}  // namespace heddle::base
