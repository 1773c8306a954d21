#pragma once
#include <stdint.h>

/// The tables of a floor: those of the product without `_commute`, or the usual ones, with text keys
/// of 36 random characters, a rowid, and an outbox of its own key.
typedef enum { FLOOR_OWN = 0, FLOOR_TEXT = 1 } floor_shape;

/// What a floor measured: seconds of the process's CPU, and the middle of all calls in microseconds.
typedef struct {
  double cpu;
  double p50;
} floor_time;

/// Each returns 0, or SQLite's code. All open the file with WAL, the page cache given in KiB, and
/// NORMAL unless they say otherwise; values are made before the clock starts.

/// Makes a file with so many to-dos and their outbox rows, in one transaction.
int floor_insert_many(const char *path, floor_shape shape, int count, int cache, floor_time *time);
/// Adds so many to-dos with their outbox rows to a new file, each in a transaction of its own.
int floor_insert_each(const char *path, floor_shape shape, int count, int cache, floor_time *time);
/// Finds each to-do of the file, compares it, writes the changed title and an outbox row; each in a
/// transaction of its own. The outbox is emptied first.
int floor_update_each(const char *path, floor_shape shape, int count, int cache, floor_time *time);
/// Reads all to-dos into structs; the second of two passes counts.
int floor_fetch_all(const char *path, floor_shape shape, int count, int cache, floor_time *time);
/// Reads to-dos by their keys in a random order, each in a read of its own.
int floor_fetch_each(const char *path, floor_shape shape, int count, int cache, floor_time *time);
/// Makes a file of volumes: ten columns, some of them null, one a list.
int floor_fill_volumes(const char *path, int count, int cache);
/// Reads all volumes into structs; the second of two passes counts.
int floor_fetch_volumes(const char *path, int count, int cache, floor_time *time);
/// Merges newer titles and versions of every to-do of the file field by field: what is stored is
/// read, each field's stamp (time, replica) compared, what is newer written with its stamp. In
/// transactions of so many records.
int floor_merge(const char *path, int count, int per_transaction, int cache, floor_time *time);
/// Makes a file of to-dos with a stamp of 16 bytes a field, for `floor_merge`.
int floor_fill_stamped(const char *path, int count, int cache);
/// The size of the file after its outbox was emptied and VACUUM, in bytes; negative on failure.
int64_t floor_bytes(const char *path, floor_shape shape);
/// The number that to-do's key of this index begins with: 16 bytes as two numbers.
void floor_key(uint64_t index, uint64_t *high, uint64_t *low);
