// Loops over volatile memory that wait for no other thread: a bound, a local variable, a table.
static volatile int bound = 200;
static const volatile int table[3] = {1, 2, 3};
int sum;

int main(void) {
  for (int i = 0; i < bound; i++) sum += i;
  int local_sum = 0;
  for (int i = 0; i < bound; i++) local_sum += table[0];
  volatile int limit = 300;
  int steps = 0;
  while (limit > steps) ++steps;
  int rounds = 0;
  for (volatile int i = 0; i < 20000; i++) rounds++;
  return sum != 19900 || local_sum != 200 || steps != 300 || rounds != 20000;
}
