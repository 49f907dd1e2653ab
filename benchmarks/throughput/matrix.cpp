// Matrix multiplication, half the rows a thread: plain accesses and next to nothing else.
#include <thread>

constexpr int size = 64;
// Not static: gcc takes variables whose address is not taken for private and does not announce their accesses.
double a[size][size], b[size][size], product[size][size];

static void multiply(int first, int last) {
  for (int i = first; i < last; ++i)
    for (int j = 0; j < size; ++j) {
      double sum = 0;
      for (int k = 0; k < size; ++k) sum += a[i][k] * b[k][j];
      product[i][j] = sum;
    }
}

int main() {
  for (int i = 0; i < size; ++i)
    for (int j = 0; j < size; ++j) {
      a[i][j] = i + j;
      b[i][j] = i - j;
    }
  std::thread other(multiply, 0, size / 2);
  multiply(size / 2, size);
  other.join();
}
