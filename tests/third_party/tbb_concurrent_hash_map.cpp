// oneTBB's concurrent_hash_map: two threads count words in one map.
// heddle: clean
// heddle-flags: -ltbb
#include <tbb/concurrent_hash_map.h>

#include <cassert>
#include <string>
#include <thread>

using Map = tbb::concurrent_hash_map<std::string, int>;

static void count(Map& map, const char* word) {
  Map::accessor entry;
  map.insert(entry, word);
  ++entry->second;
}

int main() {
  Map map;
  std::thread a([&] {
    count(map, "warp");
    count(map, "weft");
  });
  std::thread b([&] {
    count(map, "warp");
    map.erase("nothing");
  });
  a.join();
  b.join();
  Map::const_accessor entry;
  assert(map.size() == 2 && map.find(entry, "warp") && entry->second == 2);
}
