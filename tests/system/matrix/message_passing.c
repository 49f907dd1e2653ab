#include "message_passing.inc"
