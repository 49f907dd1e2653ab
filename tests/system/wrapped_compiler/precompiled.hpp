// The sources include nothing else: without the precompiled header they do not compile.
#include <atomic>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

void count();
void copy();
std::vector<std::string> names();
extern "C" void bump(void);
