#ifndef COMMUTE_WASM_SHIM_H
#define COMMUTE_WASM_SHIM_H

#include <stddef.h>

// What the runtime below tells about the memory it manages, in bytes of whole size classes.
size_t shim_live_bytes(void);
size_t shim_claimed_bytes(void);

#endif
