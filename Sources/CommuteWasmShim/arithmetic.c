// The one arithmetic routine that Swift expects from the compiler's own runtime on wasm32: the
// product of two 128-bit numbers, used by the printing of doubles. Empty on every other platform.
#include "CommuteWasmShim.h"
#ifdef __wasm__
#include <stdint.h>

// The full product of two 64-bit numbers, by halves as on paper.
static unsigned __int128 product(uint64_t a, uint64_t b) {
  uint64_t low = UINT32_MAX;
  uint64_t ll = (a & low) * (b & low), lh = (a & low) * (b >> 32);
  uint64_t hl = (a >> 32) * (b & low), hh = (a >> 32) * (b >> 32);
  uint64_t middle = (ll >> 32) + (lh & low) + (hl & low);
  uint64_t upper = hh + (lh >> 32) + (hl >> 32) + (middle >> 32);
  return (unsigned __int128)upper << 64 | (middle << 32 | (ll & low));
}

__int128 __multi3(__int128 left, __int128 right) {
  uint64_t a = (uint64_t)left, b = (uint64_t)right;
  uint64_t a_high = (uint64_t)((unsigned __int128)left >> 64);
  uint64_t b_high = (uint64_t)((unsigned __int128)right >> 64);
  uint64_t crossed = a * b_high + a_high * b;
  return (__int128)(product(a, b) + ((unsigned __int128)crossed << 64));
}
#endif
