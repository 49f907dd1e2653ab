// oneTBB's concurrent_hash_map: two threads insert, change, find and erase words. The map grows beyond its first
// buckets, and one key is erased and inserted again.
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

static int count_of(const Map& map, const char* word) {
  Map::const_accessor entry;
  return map.find(entry, word) ? entry->second : 0;
}

int main() {
  Map map;
  std::thread a([&] {
    count(map, "warp");
    count(map, "weft");
    map.erase("heddle");
    count(map, "reed");
    assert(count_of(map, "warp") >= 1);
  });
  std::thread b([&] {
    count(map, "warp");
    count(map, "heddle");
    count(map, "loom");
    assert(count_of(map, "heddle") <= 1);
    count(map, "heddle");
  });
  a.join();
  b.join();
  assert(count_of(map, "warp") == 2 && count_of(map, "weft") == 1 && count_of(map, "reed") == 1 &&
         count_of(map, "loom") == 1);
  // The erasure came before the first word, between both, or after them.
  const int heddles = count_of(map, "heddle");
  assert(heddles >= 0 && heddles <= 2 && map.size() == (heddles > 0 ? 5U : 4U));
}
