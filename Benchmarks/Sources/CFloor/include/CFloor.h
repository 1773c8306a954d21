#pragma once
#include <stdint.h>

/// Copies every row of a table from one database into a new one, and times the writing alone.
///
/// The new database has the same table (its text is read from the source), WAL and NORMAL. The rows
/// are read into memory first. Returns 0, or SQLite's code.
int floor_store_rows(const char *source, const char *table, const char *target,
                     int rows_per_transaction, double *wall_seconds, double *cpu_seconds,
                     int64_t *rows);

/// Writes small records as a server must: a row of the record, one of the operation, one of the
/// device, the head of the feed and the clock, in transactions of so many records, each on the disk
/// before the next (WAL, FULL). Returns 0, or SQLite's code.
int floor_group_commit(const char *target, int records, int records_per_transaction,
                       double *wall_seconds, double *cpu_seconds);
#include "StoreFloor.h"
