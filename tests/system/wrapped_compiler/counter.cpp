static std::atomic<int> hits{0};
static char text[64];

void count() { ++hits; }
// gcc would expand this call in place, unseen by heddle, if heddle's header did not come before it.
void copy() { __builtin_memcpy(text, "hello", 6); }
