#include "CFaultFiles.h"

#include "SharedFile.h"

#include <fcntl.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <pthread.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SECTOR 512

// One sector as it was when its file was last synced.
typedef struct Sector {
  int64_t number;
  unsigned char before[SECTOR];
} Sector;

// What is remembered of one path, over all connections and openings.
typedef struct Memory {
  struct Memory *next;
  char *path;
  int64_t durable_size;
  Sector *sectors;
  int count, room;
  int *slots;  // one more than the place of a sector, by the hash of its number; 0 for none
  int slot_count;
} Memory;

// A watched file as SQLite holds it.
typedef struct File {
  sqlite3_file base;
  Memory *memory;
  SharedFile *shared;
  Hold hold;
} File;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sqlite3_vfs layer, *system_layer;
static Memory *memories;
static char *watched;
static int armed, happened, is_dead, is_full;
static int64_t armed_at, operations;
static uint64_t torn_seed;

static uint64_t draw(uint64_t *state) {  // SplitMix64
  uint64_t mixed = (*state += 0x9E3779B97F4A7C15u);
  mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9u;
  mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EBu;
  return mixed ^ mixed >> 31;
}

static int is_watched(const char *path) {
  return path && watched && strncmp(path, watched, strlen(watched)) == 0;
}

static Memory *memory_of(const char *path) {
  for (Memory *m = memories; m; m = m->next)
    if (strcmp(m->path, path) == 0) return m;
  Memory *made = calloc(1, sizeof *made);
  if (!made) return 0;
  made->path = strdup(path);
  struct stat found;
  made->durable_size = stat(path, &found) == 0 ? (int64_t)found.st_size : 0;
  made->next = memories;
  return memories = made;
}

static void forget(Memory *memory, int64_t size) {
  memory->count = 0;
  if (memory->slots) memset(memory->slots, 0, (size_t)memory->slot_count * sizeof(int));
  memory->durable_size = size;
}

// Where a sector's number stands among the slots, or would stand.
static int *slot_of(Memory *memory, int64_t number) {
  uint64_t at = (uint64_t)number * 0x9E3779B97F4A7C15u >> 20;
  for (;; at++) {
    int *slot = &memory->slots[at & (uint64_t)(memory->slot_count - 1)];
    if (!*slot || memory->sectors[*slot - 1].number == number) return slot;
  }
}

// Makes room for one more sector; the slots stay at most half full.
static int make_room(Memory *memory) {
  if (memory->count < memory->room) return SQLITE_OK;
  int room = memory->room ? memory->room * 2 : 64;
  Sector *sectors = realloc(memory->sectors, (size_t)room * sizeof *sectors);
  if (!sectors) return SQLITE_NOMEM;
  memory->sectors = sectors;
  int *slots = calloc((size_t)room * 2, sizeof *slots);
  if (!slots) return SQLITE_NOMEM;
  free(memory->slots);
  memory->slots = slots;
  memory->slot_count = room * 2;
  memory->room = room;
  for (int i = 0; i < memory->count; i++) *slot_of(memory, sectors[i].number) = i + 1;
  return SQLITE_OK;
}

// Remembers a sector before it is changed for the first time since the last sync.
static int remember(File *file, int64_t number) {
  Memory *memory = file->memory;
  int code = make_room(memory);
  if (code != SQLITE_OK) return code;
  int *slot = slot_of(memory, number);
  if (*slot) return SQLITE_OK;
  Sector *sector = &memory->sectors[memory->count];
  sector->number = number;
  code = shared_file_read(file->shared, sector->before, SECTOR, number * SECTOR);
  if (code == SQLITE_IOERR_SHORT_READ) code = SQLITE_OK;  // the rest was filled with zeros
  if (code == SQLITE_OK) *slot = ++memory->count;
  return code;
}

static int remember_span(File *file, int64_t from, int64_t to) {
  for (int64_t n = from / SECTOR; n * SECTOR < to; n++) {
    int code = remember(file, n);
    if (code != SQLITE_OK) return code;
  }
  return SQLITE_OK;
}

// Counts an operation; says whether it is to fail, and with what.
static int next_operation(int error, int *is_torn) {
  int64_t number = operations++;
  if (is_torn) *is_torn = 0;
  if (is_dead) return error;
  if (armed && number == armed_at) {
    happened = 1;
    switch (armed) {
      case FAULT_ERROR_ONCE: return error;
      case FAULT_FULL: is_full = 1; break;
      case FAULT_TORN:
        is_dead = 1;
        if (is_torn) *is_torn = 1;
        return error;
      default: is_dead = 1; return error;
    }
  }
  return is_full && error == SQLITE_IOERR_WRITE ? SQLITE_FULL : SQLITE_OK;
}

static int file_close(sqlite3_file *base) {
  File *file = (File *)base;
  pthread_mutex_lock(&lock);
  shared_file_close(file->shared, &file->hold);
  pthread_mutex_unlock(&lock);
  return SQLITE_OK;
}

static int file_read(sqlite3_file *base, void *into, int count, sqlite3_int64 at) {
  File *file = (File *)base;
  pthread_mutex_lock(&lock);
  int code = shared_file_read(file->shared, into, count, at);
  pthread_mutex_unlock(&lock);
  return code;
}

static int file_write(sqlite3_file *base, const void *from, int count, sqlite3_int64 at) {
  File *file = (File *)base;
  pthread_mutex_lock(&lock);
  int is_torn = 0;
  int refused = next_operation(SQLITE_IOERR_WRITE, &is_torn), code = refused;
  if (refused == SQLITE_OK || is_torn) {
    int wanted = count;
    if (is_torn) wanted = (int)(draw(&torn_seed) % (uint64_t)(count + 1));
    code = remember_span(file, at, at + count);
    if (code == SQLITE_OK && wanted) code = shared_file_write(file->shared, from, wanted, at);
    if (is_torn) code = refused;
  }
  pthread_mutex_unlock(&lock);
  return code;
}

static int file_truncate(sqlite3_file *base, sqlite3_int64 size) {
  File *file = (File *)base;
  pthread_mutex_lock(&lock);
  int code = next_operation(SQLITE_IOERR_TRUNCATE, 0);
  if (code == SQLITE_OK) code = remember_span(file, size, shared_file_size(file->shared));
  if (code == SQLITE_OK) code = shared_file_truncate(file->shared, size);
  pthread_mutex_unlock(&lock);
  return code;
}

static int file_sync(sqlite3_file *base, int flags) {
  (void)flags;
  File *file = (File *)base;
  pthread_mutex_lock(&lock);
  int code = next_operation(SQLITE_IOERR_FSYNC, 0);
  if (code == SQLITE_OK) forget(file->memory, shared_file_size(file->shared));
  pthread_mutex_unlock(&lock);
  return code;
}

static int file_size(sqlite3_file *base, sqlite3_int64 *size) {
  File *file = (File *)base;
  pthread_mutex_lock(&lock);
  *size = shared_file_size(file->shared);
  pthread_mutex_unlock(&lock);
  return SQLITE_OK;
}

static int file_lock(sqlite3_file *base, int level) {
  File *file = (File *)base;
  pthread_mutex_lock(&lock);
  int code = shared_file_lock(file->shared, &file->hold, level);
  pthread_mutex_unlock(&lock);
  return code;
}

static int file_unlock(sqlite3_file *base, int level) {
  File *file = (File *)base;
  pthread_mutex_lock(&lock);
  int code = shared_file_unlock(file->shared, &file->hold, level);
  pthread_mutex_unlock(&lock);
  return code;
}

static int file_reserved(sqlite3_file *base, int *is_reserved) {
  File *file = (File *)base;
  pthread_mutex_lock(&lock);
  *is_reserved = shared_file_is_reserved(file->shared);
  pthread_mutex_unlock(&lock);
  return SQLITE_OK;
}

// Whether it is still the file of its name is all that is asked of it; no name is ever taken away.
static int file_control(sqlite3_file *base, int what, void *argument) {
  (void)base;
  if (what != SQLITE_FCNTL_HAS_MOVED) return SQLITE_NOTFOUND;
  *(int *)argument = 0;
  return SQLITE_OK;
}

// Both as the system's layer says of its files.
static int file_sector(sqlite3_file *base) {
  (void)base;
  return 4096;
}

static int file_character(sqlite3_file *base) {
  (void)base;
  return SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}

static int file_shm_map(sqlite3_file *base, int page, int size, int extends, void volatile **out) {
  File *file = (File *)base;
  pthread_mutex_lock(&lock);
  int code = shared_file_map(file->shared, &file->hold, page, size, extends, out);
  pthread_mutex_unlock(&lock);
  return code;
}

static int file_shm_lock(sqlite3_file *base, int offset, int count, int flags) {
  File *file = (File *)base;
  pthread_mutex_lock(&lock);
  int code = shared_file_lock_memory(file->shared, &file->hold, offset, count, flags);
  pthread_mutex_unlock(&lock);
  return code;
}

static void file_shm_barrier(sqlite3_file *base) {
  (void)base;
  __sync_synchronize();
  // As the system's layer does, for those who only look at the memory.
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
}

static int file_shm_unmap(sqlite3_file *base, int removes) {
  (void)removes;
  File *file = (File *)base;
  pthread_mutex_lock(&lock);
  shared_file_unmap(file->shared, &file->hold);
  pthread_mutex_unlock(&lock);
  return SQLITE_OK;
}

// Version 2: shared memory, but no mapping of the file itself, whose writes would not be seen.
static const sqlite3_io_methods methods = {
  2, file_close, file_read, file_write, file_truncate, file_sync, file_size, file_lock,
  file_unlock, file_reserved, file_control, file_sector, file_character, file_shm_map,
  file_shm_lock, file_shm_barrier, file_shm_unmap, 0, 0,
};

// A file that is not watched is the system's alone.
static int layer_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *base, int flags, int *out) {
  (void)vfs;
  if (!is_watched(path)) return system_layer->xOpen(system_layer, path, base, flags, out);
  File *file = (File *)base;
  *file = (File){.hold = {.is_read_only = (flags & SQLITE_OPEN_READONLY) != 0}};
  pthread_mutex_lock(&lock);
  file->memory = memory_of(path);
  if (file->memory)
    file->shared = shared_file_open(
      path, (flags & SQLITE_OPEN_CREATE) != 0, (flags & SQLITE_OPEN_WAL) != 0);
  pthread_mutex_unlock(&lock);
  if (!file->memory) return SQLITE_NOMEM;
  if (!file->shared) return SQLITE_CANTOPEN;
  file->base.pMethods = &methods;
  if (out) *out = flags;
  return SQLITE_OK;
}

static int layer_delete(sqlite3_vfs *vfs, const char *path, int syncs) {
  (void)vfs;
  if (!is_watched(path)) return system_layer->xDelete(system_layer, path, syncs);
  pthread_mutex_lock(&lock);
  int code = next_operation(SQLITE_IOERR_DELETE, 0);
  if (code == SQLITE_OK) {
    code = system_layer->xDelete(system_layer, path, syncs);
    // The file that comes under this name next is another one.
    forget(memory_of(path), 0);
  }
  pthread_mutex_unlock(&lock);
  return code;
}

int fault_files_install(void) {
  // Before SQLite is used for the first time: nobody asks here how much memory it takes.
  sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
#ifdef __GLIBC__
  // Databases are opened and closed without end: what one has freed the next one takes.
  mallopt(M_ARENA_MAX, 1);
  mallopt(M_MMAP_THRESHOLD, 1 << 28);
  mallopt(M_TRIM_THRESHOLD, 1 << 28);
#endif
  system_layer = sqlite3_vfs_find(0);
  if (!system_layer) return SQLITE_ERROR;
  layer = *system_layer;
  layer.zName = "faults";
  if (layer.szOsFile < (int)sizeof(File)) layer.szOsFile = (int)sizeof(File);
  layer.xOpen = layer_open;
  layer.xDelete = layer_delete;
  return sqlite3_vfs_register(&layer, 1);
}

void fault_files_watch(const char *prefix) {
  pthread_mutex_lock(&lock);
  free(watched);
  watched = strdup(prefix);
  shared_file_forget();
  while (memories) {
    Memory *gone = memories;
    memories = gone->next;
    free(gone->sectors);
    free(gone->slots);
    free(gone->path);
    free(gone);
  }
  pthread_mutex_unlock(&lock);
}

void fault_files_arm(int kind, int64_t operation, uint64_t seed) {
  pthread_mutex_lock(&lock);
  armed = kind;
  armed_at = operation;
  torn_seed = seed;
  operations = 0;
  happened = is_dead = is_full = 0;
  pthread_mutex_unlock(&lock);
}

void fault_files_disarm(void) {
  pthread_mutex_lock(&lock);
  armed = is_dead = is_full = 0;
  pthread_mutex_unlock(&lock);
}

int64_t fault_files_operations(void) {
  pthread_mutex_lock(&lock);
  int64_t count = operations;
  pthread_mutex_unlock(&lock);
  return count;
}

int fault_files_happened(void) { return happened; }

static int64_t lose(Memory *memory, uint64_t *seed) {
  int descriptor = open(memory->path, O_RDWR);
  if (descriptor < 0) return 0;  // never made, or removed
  int64_t lost = 0;
  struct stat found;
  int64_t size = fstat(descriptor, &found) == 0 ? (int64_t)found.st_size : 0;
  for (int i = 0; i < memory->count; i++) {
    Sector *sector = &memory->sectors[i];
    if (draw(seed) & 1) continue;
    int64_t at = sector->number * SECTOR;
    // Of the last sector only what the file had is put back.
    int64_t end = at + SECTOR, limit = size > memory->durable_size ? size : memory->durable_size;
    int64_t count = (end > limit ? limit : end) - at;
    if (count <= 0) continue;
    if (pwrite(descriptor, sector->before, (size_t)count, at) != count) lost = -1;
    if (lost >= 0) lost++;
  }
  // How long the file is became durable, or did not.
  if (memory->count && (draw(seed) & 1) && ftruncate(descriptor, memory->durable_size) != 0)
    lost = -1;
  if (fstat(descriptor, &found) == 0) forget(memory, (int64_t)found.st_size);
  close(descriptor);
  return lost;
}

static int is_below(const Memory *memory, const char *prefix) {
  return strncmp(memory->path, prefix, strlen(prefix)) == 0;
}

int64_t fault_files_lose_power_below(const char *prefix, uint64_t seed) {
  pthread_mutex_lock(&lock);
  int64_t lost = 0;
  for (Memory *memory = memories; memory && lost >= 0; memory = memory->next) {
    if (!is_below(memory, prefix)) continue;
    int64_t more = lose(memory, &seed);
    lost = more < 0 ? more : lost + more;
  }
  pthread_mutex_unlock(&lock);
  return lost;
}

int64_t fault_files_lose_power(uint64_t seed) { return fault_files_lose_power_below("", seed); }

void fault_files_settle_below(const char *prefix) {
  pthread_mutex_lock(&lock);
  for (Memory *memory = memories; memory; memory = memory->next) {
    if (!is_below(memory, prefix)) continue;
    struct stat found;
    forget(memory, stat(memory->path, &found) == 0 ? (int64_t)found.st_size : 0);
  }
  pthread_mutex_unlock(&lock);
}

void fault_files_settle(void) { fault_files_settle_below(""); }
