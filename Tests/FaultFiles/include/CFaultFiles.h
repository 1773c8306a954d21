// A file layer for SQLite that fails where it is told to, and loses power.
//
// It stands before the system's own layer and is for one process that runs one trial at a time.
// Every write, sync, truncation and removal of a file in the watched folder counts as an operation.
// What was written since a file's last sync is remembered in sectors, so that a loss of power can
// take back a drawn part of them; a real sync is never made, since nothing here outlives the trial.
// The watched files are this process's own: no other may have them open. Their bytes are mapped,
// their locks and shared memory kept in the process.
#pragma once
#include <stdint.h>

// What happens at the operation that was armed.
enum {
  FAULT_NONE = 0,
  // This one operation fails as a broken disk does.
  FAULT_ERROR_ONCE = 1,
  // From here on nothing more can be written: the disk is full.
  FAULT_FULL = 2,
  // From here on nothing reaches the files: the process is as good as dead.
  FAULT_DEATH = 3,
  // The same, and a drawn part of this very write still reaches the file.
  FAULT_TORN = 4,
};

// Makes this layer SQLite's default; returns an SQLite code.
int fault_files_install(void);

// Watches the files whose path begins with this, and forgets all others.
void fault_files_watch(const char *prefix);

// Lets the operation of this number (the first is 0) fail in this way; `seed` draws what is torn.
void fault_files_arm(int kind, int64_t operation, uint64_t seed);

// No fault from here on; what was written stays counted as not synced.
void fault_files_disarm(void);

// How many operations there were since the last `fault_files_arm`.
int64_t fault_files_operations(void);

// Whether the armed fault has happened.
int fault_files_happened(void);

// Takes back a drawn part of what was not synced, as a loss of power does, and counts the rest as
// durable. All connections must be closed. Returns how many sectors were taken back, -1 for an
// error of the system.
int64_t fault_files_lose_power(uint64_t seed);

// The same for the files whose path begins with this: one of several machines loses power.
int64_t fault_files_lose_power_below(const char *prefix, uint64_t seed);

// Counts everything that was written as durable: the process ends, the machine goes on.
void fault_files_settle(void);

// The same for the files whose path begins with this.
void fault_files_settle_below(const char *prefix);
