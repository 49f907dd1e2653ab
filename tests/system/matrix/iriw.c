#include "iriw.inc"
