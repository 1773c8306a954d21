#pragma once
#include <sqlite3.h>

// Swift cannot call variadic functions; this is sqlite3_db_config for the options that take a flag.
static inline int commute_sqlite3_db_flag(sqlite3 *db, int option, int value) {
  return sqlite3_db_config(db, option, value, (int *)0);
}

// Swift does not see macros that cast an integer to a function pointer.
static inline int commute_sqlite3_bind_text_copy(sqlite3_stmt *s, int i, const char *p, int n) {
  return sqlite3_bind_text(s, i, p, n, SQLITE_TRANSIENT);
}

static inline int commute_sqlite3_bind_blob_copy(sqlite3_stmt *s, int i, const void *p, int n) {
  return sqlite3_bind_blob(s, i, p, n, SQLITE_TRANSIENT);
}
