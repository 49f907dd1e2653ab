// With --rmw=full, an increment is a full barrier under the models with store buffers.
// heddle: clean
// heddle-options: -m pso --rmw=full
#include "../wrong/assert_rmw_by_order.c"
