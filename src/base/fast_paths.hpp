// Every shortcut that the runtime takes for speed alone asks this first. A build with -DHEDDLE_FAST_PATHS=OFF takes
// none of them and must give the same findings, graphs and numbers of events: docs/performance.md lists the shortcuts.
#pragma once

namespace heddle::base {

#ifdef HEDDLE_NO_FAST_PATHS
inline constexpr bool fast_paths = false;
#else
inline constexpr bool fast_paths = true;
#endif

}  // namespace heddle::base
