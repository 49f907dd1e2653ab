// Computes for ever, in a loop of many instructions: each interruption hits another one.
int main(void) {
  unsigned state = 1;
  for (;;) {
    for (unsigned bit = 0; bit < 1000; bit++) {
      state ^= state << 13;
      state ^= state >> 17;
      state ^= state << 5;
      __asm__ volatile("" : "+r"(state));
    }
    __asm__ volatile("" : "+r"(state));
  }
}
