#include "SharedFile.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

// How much of a file is mapped; what lies behind is read and written through the system.
#define MAPPED ((int64_t)1 << 28)
#define REGIONS 64
// In what steps a log grows while it is open.
#define LOG_STEP ((int64_t)1 << 16)

struct SharedFile {
  SharedFile *next;
  dev_t device;
  ino_t number;
  int descriptor, users;
  char *bytes;
  int64_t size;
  // How long the file is in the system's eyes; more than its size only while it is a log that
  // somebody has open.
  int64_t room;
  int is_log;
  // How many connections hold at least a shared lock, and who holds more than that.
  int readers;
  const Hold *writer;
  // The shared memory: its pieces, who has it, and how often each of its locks is shared.
  char *regions[REGIONS];
  int memory_users;
  int shared[SQLITE_SHM_NLOCK];
  unsigned int exclusive;
};

static SharedFile *files;

static void give_back(SharedFile *file) {
  munmap(file->bytes, (size_t)MAPPED);
  close(file->descriptor);
  free(file);
}

static SharedFile *find(const struct stat *status) {
  for (SharedFile *file = files; file; file = file->next)
    if (file->device == status->st_dev && file->number == status->st_ino) return file;
  return 0;
}

static SharedFile *take(int descriptor, const struct stat *status) {
  void *bytes = mmap(0, (size_t)MAPPED, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (bytes == MAP_FAILED) return 0;
  SharedFile *file = calloc(1, sizeof *file);
  if (!file) {
    munmap(bytes, (size_t)MAPPED);
    return 0;
  }
  *file = (SharedFile){
    .next = files, .device = status->st_dev, .number = status->st_ino,
    .descriptor = descriptor, .bytes = bytes,
  };
  return files = file;
}

SharedFile *shared_file_open(const char *path, int makes, int is_log) {
  struct stat status;
  SharedFile *file = stat(path, &status) == 0 ? find(&status) : 0;
  if (!file) {
    // Kept open, so that no other file gets its number.
    int descriptor = open(path, O_RDWR | O_CLOEXEC | (makes ? O_CREAT : 0), 0600);
    if (descriptor < 0) return 0;
    if (fstat(descriptor, &status) == 0) file = take(descriptor, &status);
    if (!file) {
      close(descriptor);
      return 0;
    }
  }
  // Where nobody has it open it may have been changed from outside, as by a loss of power.
  if (file->users++ == 0) file->size = file->room = status.st_size;
  file->is_log = is_log;
  return file;
}

void shared_file_close(SharedFile *file, Hold *hold) {
  shared_file_unmap(file, hold);
  shared_file_unlock(file, hold, SQLITE_LOCK_NONE);
  if (--file->users || file->room == file->size) return;
  // It could not be made shorter only where the system is broken; what lies behind is zeros.
  if (ftruncate(file->descriptor, file->size) == 0) file->room = file->size;
}

void shared_file_forget(void) {
  for (SharedFile **link = &files; *link;) {
    SharedFile *file = *link;
    if (file->users) {
      link = &file->next;
      continue;
    }
    *link = file->next;
    give_back(file);
  }
}

// MARK: - Bytes

int64_t shared_file_size(const SharedFile *file) { return file->size; }

int shared_file_read(const SharedFile *file, void *into, int count, int64_t at) {
  int64_t there = file->size > at ? file->size - at : 0;
  size_t wanted = (size_t)(there < count ? there : count);
  if (at + (int64_t)wanted <= MAPPED) {
    memcpy(into, file->bytes + at, wanted);
  } else if (pread(file->descriptor, into, wanted, at) != (ssize_t)wanted) {
    return SQLITE_IOERR_READ;
  }
  if (there >= count) return SQLITE_OK;
  memset((char *)into + wanted, 0, (size_t)count - wanted);
  return SQLITE_IOERR_SHORT_READ;
}

// Makes a log longer than it is, so that not each piece of it has to be asked for.
static void make_room(SharedFile *file, int64_t end) {
  int64_t room = (end / LOG_STEP + 1) * LOG_STEP;
  if (room <= MAPPED && ftruncate(file->descriptor, room) == 0) file->room = room;
}

int shared_file_write(SharedFile *file, const void *from, int count, int64_t at) {
  int64_t end = at + count;
  if (file->is_log && end > file->room) make_room(file, end);
  if (end <= file->room && end <= MAPPED) {
    memcpy(file->bytes + at, from, (size_t)count);
    if (end > file->size) file->size = end;
    return SQLITE_OK;
  }
  // The system says so where there is no room for more.
  if (pwrite(file->descriptor, from, (size_t)count, at) != count) return SQLITE_IOERR_WRITE;
  if (end > file->size) file->size = end;
  if (end > file->room) file->room = end;
  return SQLITE_OK;
}

int shared_file_truncate(SharedFile *file, int64_t size) {
  if (ftruncate(file->descriptor, size) != 0) return SQLITE_IOERR_TRUNCATE;
  file->size = file->room = size;
  return SQLITE_OK;
}

// MARK: - Locks

int shared_file_lock(SharedFile *file, Hold *hold, int level) {
  if (hold->level >= level) return SQLITE_OK;
  int is_others = file->writer && file->writer != hold;
  if (level == SQLITE_LOCK_SHARED) {
    if (is_others && file->writer->level >= SQLITE_LOCK_PENDING) return SQLITE_BUSY;
    file->readers++;
    hold->level = level;
    return SQLITE_OK;
  }
  // The system gives no such lock on what is open for reading: that is how SQLite knows.
  if (hold->is_read_only) return SQLITE_IOERR_LOCK;
  if (is_others) return SQLITE_BUSY;
  file->writer = hold;
  if (level == SQLITE_LOCK_EXCLUSIVE && file->readers > 1) {
    // It waits for the readers that are there; no more are let in.
    hold->level = SQLITE_LOCK_PENDING;
    return SQLITE_BUSY;
  }
  hold->level = level;
  return SQLITE_OK;
}

int shared_file_unlock(SharedFile *file, Hold *hold, int level) {
  if (hold->level <= level) return SQLITE_OK;
  if (file->writer == hold) file->writer = 0;
  if (level == SQLITE_LOCK_NONE) file->readers--;
  hold->level = level;
  return SQLITE_OK;
}

int shared_file_is_reserved(const SharedFile *file) { return file->writer != 0; }

// MARK: - Shared memory

int shared_file_map(
  SharedFile *file, Hold *hold, int region, int size, int extends, void volatile **out) {
  *out = 0;
  if (region >= REGIONS) return SQLITE_IOERR_SHMMAP;
  if (!hold->has_memory) {
    hold->has_memory = 1;
    file->memory_users++;
  }
  if (!file->regions[region] && extends) {
    file->regions[region] = calloc(1, (size_t)size);
    if (!file->regions[region]) return SQLITE_NOMEM;
  }
  *out = file->regions[region];
  return SQLITE_OK;
}

int shared_file_lock_memory(SharedFile *file, Hold *hold, int offset, int count, int flags) {
  unsigned int mask = ((1u << count) - 1) << offset;
  if (flags & SQLITE_SHM_UNLOCK) {
    for (int i = offset; i < offset + count; i++)
      if (hold->shared & 1u << i) file->shared[i]--;
    file->exclusive &= ~(hold->exclusive & mask);
    hold->shared &= ~mask;
    hold->exclusive &= ~mask;
    return SQLITE_OK;
  }
  if (flags & SQLITE_SHM_SHARED) {
    if (hold->shared & mask) return SQLITE_OK;
    if (file->exclusive & mask) return SQLITE_BUSY;
    file->shared[offset]++;
    hold->shared |= mask;
    return SQLITE_OK;
  }
  if (file->exclusive & mask & ~hold->exclusive) return SQLITE_BUSY;
  for (int i = offset; i < offset + count; i++)
    if (file->shared[i]) return SQLITE_BUSY;
  file->exclusive |= mask;
  hold->exclusive |= mask;
  return SQLITE_OK;
}

void shared_file_unmap(SharedFile *file, Hold *hold) {
  if (!hold->has_memory) return;
  shared_file_lock_memory(file, hold, 0, SQLITE_SHM_NLOCK, SQLITE_SHM_UNLOCK);
  hold->has_memory = 0;
  if (--file->memory_users) return;
  // As after a start of the machine: whoever comes next reads the log.
  for (int i = 0; i < REGIONS; i++) {
    free(file->regions[i]);
    file->regions[i] = 0;
  }
}
