// A file as all connections of this process share it: its bytes mapped into memory, its locks and
// its shared memory kept here.
//
// SQLite's own layer asks the system for each read and each lock, since other processes may have
// the file open. Here nobody else has: a read is a copy, a lock a number. Whoever calls holds the
// lock of the layer.
#pragma once
#include <stdint.h>

typedef struct SharedFile SharedFile;

// What one connection has of a file: its lock, and a bit for each of its locks on shared memory.
typedef struct Hold {
  int is_read_only, level;
  unsigned int shared, exclusive;
  int has_memory;
} Hold;

// The file at a path, made where it may be and is not there; null where it cannot be opened.
//
// A log may have zeros behind its end as long as it is open, which SQLite takes for its end.
SharedFile *shared_file_open(const char *path, int makes, int is_log);

// One connection has closed it; the bytes stay mapped for the next one.
void shared_file_close(SharedFile *file, Hold *hold);

// Forgets all files that nobody has open.
void shared_file_forget(void);

int64_t shared_file_size(const SharedFile *file);

// These return SQLite's codes.
int shared_file_read(const SharedFile *file, void *into, int count, int64_t at);
int shared_file_write(SharedFile *file, const void *from, int count, int64_t at);
int shared_file_truncate(SharedFile *file, int64_t size);

int shared_file_lock(SharedFile *file, Hold *hold, int level);
int shared_file_unlock(SharedFile *file, Hold *hold, int level);
int shared_file_is_reserved(const SharedFile *file);

int shared_file_map(
  SharedFile *file, Hold *hold, int region, int size, int extends, void volatile **out);
int shared_file_lock_memory(SharedFile *file, Hold *hold, int offset, int count, int flags);
void shared_file_unmap(SharedFile *file, Hold *hold);
