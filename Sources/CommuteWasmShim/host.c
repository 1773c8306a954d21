// What Embedded Swift asks of the world on wasm32: randomness for its hash seeds and a place to
// print to. Empty on every other platform.
//
// A browser provides both as `env.random` and `env.log`. With SHIM_WASI the same module is a
// command for any WASI host, such as the `wasmkit` of the Swift toolchain.
#include "CommuteWasmShim.h"
#ifdef __wasm__
#include <stdint.h>

#define IMPORT(module, name) __attribute__((import_module(module), import_name(name)))

#ifdef SHIM_WASI
typedef struct {
  const char *bytes;
  uint32_t count;
} Piece;

IMPORT("wasi_snapshot_preview1", "fd_write")
int wasi_write(int descriptor, const Piece *pieces, int count, uint32_t *written);
IMPORT("wasi_snapshot_preview1", "random_get")
int wasi_random(void *bytes, uint32_t count);
IMPORT("wasi_snapshot_preview1", "proc_exit")
_Noreturn void wasi_exit(int status);

static void fill_randomly(void *bytes, uint32_t count) { wasi_random(bytes, count); }

static void write_all(Piece piece) {
  uint32_t written = 0;
  while (piece.count > 0 && wasi_write(1, &piece, 1, &written) == 0) {
    piece.bytes += written;
    piece.count -= written;
  }
}

static void log_line(const char *text, uint32_t count) {
  write_all((Piece){text, count});
  write_all((Piece){"\n", 1});
}

int commute_main(int count, char **arguments);

__attribute__((export_name("_start"))) void start_command(void) { wasi_exit(commute_main(0, 0)); }
#else
IMPORT("env", "random") void fill_randomly(void *bytes, uint32_t count);
IMPORT("env", "log") void log_line(const char *text, uint32_t count);
#endif

void arc4random_buf(void *bytes, size_t count) { fill_randomly(bytes, (uint32_t)count); }

// Swift prints a character at a time; the host gets whole lines, long ones in pieces.
int putchar(int character) {
  static char line[4096];
  static uint32_t used;
  if (character == '\n' || used == sizeof line) {
    log_line(line, used);
    used = 0;
  }
  if (character != '\n') line[used++] = (char)character;
  return character;
}
#endif
