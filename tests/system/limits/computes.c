// Computes for about a tenth of a second of processor time, without a visible operation.
int main(void) {
  unsigned state = 1;
  for (unsigned i = 0; i < 40000000; i++) {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    __asm__ volatile("" : "+r"(state));
  }
  return state == 0;
}
