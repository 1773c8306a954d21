// Memory for Embedded Swift on wasm32: copying, comparing, and an allocator. Empty on every other
// platform.
//
// The allocator keeps one list of free blocks per size class. Classes grow by quarters of a power
// of two (16, 32, 48, 64, 80, 96, 112, 128, 160, ...), so at most a fifth of a large block is
// wasted. Blocks are never split or joined: a program that repeats the same work reuses the same
// blocks and the memory stops growing.
#include "CommuteWasmShim.h"
#ifdef __wasm__
#include <stdint.h>

// With -mbulk-memory each of these builtins is a single instruction.
void *memcpy(void *restrict to, const void *restrict from, size_t count) {
  return __builtin_memcpy(to, from, count);
}

void *memmove(void *to, const void *from, size_t count) {
  return __builtin_memmove(to, from, count);
}

void *memset(void *to, int byte, size_t count) { return __builtin_memset(to, byte, count); }

int memcmp(const void *left, const void *right, size_t count) {
  const unsigned char *a = left, *b = right;
  for (size_t i = 0; i < count; i++) {
    if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
  }
  return 0;
}

size_t strlen(const char *text) {
  size_t count = 0;
  while (text[count] != 0) count++;
  return count;
}

// What stands before every block that is handed out.
typedef struct Header {
  struct Header *next;      // the next free block of the class, while this one is free
  uint32_t size_class;
  uint32_t shift;           // for a block of wide alignment: how far back its real header is
  uint32_t padding;         // keeps what follows aligned to 16 bytes
} Header;
_Static_assert(sizeof(Header) == 16, "a block must start on a multiple of 16");

enum { smallest = 16, page = 65536, class_count = 112, no_memory = 12 };

extern unsigned char __heap_base;
static Header *free_blocks[class_count];
static uintptr_t unused_start, unused_end;
static size_t live, claimed;

// Above the first four, class 4k + s holds blocks of 5 + s quarters of 2 to the power of k + 5.
static size_t class_size(uint32_t size_class) {
  if (size_class < 4) return smallest * (size_class + 1);
  uint32_t step = size_class % 4 + 1;
  size_t base = (size_t)smallest << (size_class / 4 + 1);
  return base + base / 4 * step;
}

static uint32_t class_holding(size_t size) {
  if (size <= 4 * smallest) return size == 0 ? 0 : (uint32_t)((size - 1) / smallest);
  uint32_t top_bit = 31 - (uint32_t)__builtin_clz((uint32_t)(size - 1));
  uint32_t quarter = ((uint32_t)(size - 1) >> (top_bit - 2)) & 3;
  return (top_bit - 5) * 4 + quarter;
}

// Makes room at the end, growing the memory by an eighth where that is possible.
static int make_room(size_t size) {
  if (unused_start == 0) {
    unused_start = ((uintptr_t)&__heap_base + 15) & ~(uintptr_t)15;
    unused_end = (uintptr_t)__builtin_wasm_memory_size(0) * page;
  }
  if (unused_end - unused_start >= size) return 1;
  size_t needed = (size - (unused_end - unused_start) + page - 1) / page;
  size_t comfortable = __builtin_wasm_memory_size(0) / 8;
  size_t wishes[2] = {comfortable > needed ? comfortable : needed, needed};
  for (int i = 0; i < 2; i++) {
    if (__builtin_wasm_memory_grow(0, wishes[i]) != (size_t)-1) {
      unused_end += wishes[i] * page;
      return 1;
    }
  }
  return 0;
}

void *malloc(size_t size) {
  if (size > (size_t)1 << 30) return 0;
  uint32_t size_class = class_holding(size);
  Header *block = free_blocks[size_class];
  if (block != 0) {
    free_blocks[size_class] = block->next;
  } else {
    size_t whole = sizeof(Header) + class_size(size_class);
    if (!make_room(whole)) return 0;
    block = (Header *)unused_start;
    unused_start += whole;
    claimed += whole;
    block->size_class = size_class;
  }
  block->shift = 0;
  live += class_size(size_class);
  return block + 1;
}

void free(void *memory) {
  if (memory == 0) return;
  Header *block = (Header *)memory - 1;
  if (block->shift != 0) block = (Header *)((uintptr_t)block - block->shift);
  live -= class_size(block->size_class);
  block->next = free_blocks[block->size_class];
  free_blocks[block->size_class] = block;
}

int posix_memalign(void **result, size_t alignment, size_t size) {
  int is_wide = alignment > 16;
  uintptr_t start = (uintptr_t)malloc(is_wide ? size + alignment : size);
  if (start == 0) return no_memory;
  uintptr_t aligned = is_wide ? (start + alignment - 1) & ~(uintptr_t)(alignment - 1) : start;
  if (aligned != start) ((Header *)aligned - 1)->shift = (uint32_t)(aligned - start);
  *result = (void *)aligned;
  return 0;
}

size_t shim_live_bytes(void) { return live; }
size_t shim_claimed_bytes(void) { return claimed; }
#endif
