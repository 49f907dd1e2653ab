// What heddle does not model is refused when the program is compiled.
#include <genmc.h>

int main(void) {
  __VERIFIER_pbarrier();
  return 0;
}
