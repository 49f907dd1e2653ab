static int calls;

void bump(void) { calls++; }
