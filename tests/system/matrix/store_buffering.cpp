#include "store_buffering.inc"
