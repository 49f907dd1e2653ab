// Stands in for libheddle.so where only its name matters: the driver refuses programs that do not need it.
extern "C" __attribute__((visibility("default"))) int fake_heddle_anchor() { return 0; }
