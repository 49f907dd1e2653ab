// "count" is right; "copy" races in the static library, "bump" in the shared one.
int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "count";
  const auto work = what == "copy" ? copy : what == "bump" ? +[] { bump(); } : count;
  std::thread other(work);
  work();
  other.join();
  return names().size() == 2 ? 0 : 1;
}
