// Two threads change one object without a lock, by code that is inside the C++ library. CASE says which object.
#include <memory_resource>
#include <string>
#include <thread>

#if defined(CASE_resource)
static std::pmr::unsynchronized_pool_resource shared;
static void change() { shared.deallocate(shared.allocate(16), 16); }
#else
static std::string shared = "a";
static void change() { shared.append("b"); }
#endif

int main() {
  std::thread other(change);
  change();
  other.join();
}
