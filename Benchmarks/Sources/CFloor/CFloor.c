#include "include/CFloor.h"
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double seconds(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static int run(sqlite3 *db, const char *sql) { return sqlite3_exec(db, sql, 0, 0, 0); }

/// The statement that made the table, to be made again as it is.
static char *table_text(sqlite3 *db, const char *table) {
  sqlite3_stmt *statement = 0;
  char *text = 0;
  if (sqlite3_prepare_v2(db, "SELECT sql FROM sqlite_schema WHERE name = ?", -1, &statement, 0) == SQLITE_OK) {
    sqlite3_bind_text(statement, 1, table, -1, SQLITE_STATIC);
    if (sqlite3_step(statement) == SQLITE_ROW) text = strdup((const char *)sqlite3_column_text(statement, 0));
  }
  sqlite3_finalize(statement);
  return text;
}

typedef struct {
  sqlite3_value **values;
  int columns;
  int64_t count;
} rows_t;

static int read_rows(sqlite3 *db, const char *table, rows_t *rows) {
  char sql[256];
  sqlite3_stmt *statement = 0;
  int64_t room = 0;
  snprintf(sql, sizeof sql, "SELECT * FROM \"%s\"", table);
  int code = sqlite3_prepare_v2(db, sql, -1, &statement, 0);
  if (code != SQLITE_OK) return code;
  rows->columns = sqlite3_column_count(statement);
  while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
    if (rows->count == room) {
      room = room ? room * 2 : 1024;
      rows->values = realloc(rows->values, (size_t)room * (size_t)rows->columns * sizeof *rows->values);
    }
    for (int i = 0; i < rows->columns; i++)
      rows->values[rows->count * rows->columns + i] = sqlite3_value_dup(sqlite3_column_value(statement, i));
    rows->count++;
  }
  sqlite3_finalize(statement);
  return code == SQLITE_DONE ? SQLITE_OK : code;
}

static int write_rows(sqlite3 *db, const char *table, const rows_t *rows, int per_transaction) {
  char sql[512];
  sqlite3_stmt *insert = 0;
  int used = snprintf(sql, sizeof sql, "INSERT INTO \"%s\" VALUES(?", table);
  for (int i = 1; i < rows->columns; i++) used += snprintf(sql + used, sizeof sql - (size_t)used, ",?");
  snprintf(sql + used, sizeof sql - (size_t)used, ")");
  int code = sqlite3_prepare_v2(db, sql, -1, &insert, 0);
  for (int64_t row = 0; code == SQLITE_OK && row < rows->count; row++) {
    if (row % per_transaction == 0) code = run(db, row ? "COMMIT; BEGIN IMMEDIATE" : "BEGIN IMMEDIATE");
    for (int i = 0; i < rows->columns; i++) {
      sqlite3_value *value = rows->values[row * rows->columns + i];
      int kind = sqlite3_value_type(value);
      // Bound without a copy, as a careful C program would.
      if (kind == SQLITE_TEXT)
        sqlite3_bind_text(insert, i + 1, (const char *)sqlite3_value_text(value), sqlite3_value_bytes(value), SQLITE_STATIC);
      else if (kind == SQLITE_BLOB)
        sqlite3_bind_blob(insert, i + 1, sqlite3_value_blob(value), sqlite3_value_bytes(value), SQLITE_STATIC);
      else
        sqlite3_bind_value(insert, i + 1, value);
    }
    if (code == SQLITE_OK) code = sqlite3_step(insert) == SQLITE_DONE ? SQLITE_OK : sqlite3_errcode(db);
    sqlite3_reset(insert);
  }
  if (code == SQLITE_OK && rows->count) code = run(db, "COMMIT");
  sqlite3_finalize(insert);
  return code;
}

int floor_store_rows(const char *source, const char *table, const char *target,
                     int rows_per_transaction, double *wall_seconds, double *cpu_seconds,
                     int64_t *count) {
  sqlite3 *from = 0, *to = 0;
  rows_t rows = {0};
  char *text = 0;
  int code = sqlite3_open_v2(source, &from, SQLITE_OPEN_READONLY, 0);
  if (code == SQLITE_OK) text = table_text(from, table);
  if (code == SQLITE_OK && !text) code = SQLITE_NOTFOUND;
  if (code == SQLITE_OK) code = read_rows(from, table, &rows);
  if (code == SQLITE_OK) code = sqlite3_open_v2(target, &to, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, 0);
  if (code == SQLITE_OK) code = run(to, "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL");
  if (code == SQLITE_OK) code = run(to, text);
  double wall = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_THREAD_CPUTIME_ID);
  if (code == SQLITE_OK) code = write_rows(to, table, &rows, rows_per_transaction);
  *wall_seconds = seconds(CLOCK_MONOTONIC) - wall;
  *cpu_seconds = seconds(CLOCK_THREAD_CPUTIME_ID) - cpu;
  *count = rows.count;
  for (int64_t i = 0; i < rows.count * rows.columns; i++) sqlite3_value_free(rows.values[i]);
  free(rows.values);
  free(text);
  sqlite3_close(from);
  sqlite3_close(to);
  return code;
}

static sqlite3_stmt *prepare(sqlite3 *db, const char *sql, int *code) {
  sqlite3_stmt *statement = 0;
  if (*code == SQLITE_OK) *code = sqlite3_prepare_v2(db, sql, -1, &statement, 0);
  return statement;
}

static int step(sqlite3 *db, sqlite3_stmt *statement) {
  int code = sqlite3_step(statement) == SQLITE_DONE ? SQLITE_OK : sqlite3_errcode(db);
  sqlite3_reset(statement);
  return code;
}

int floor_group_commit(const char *target, int records, int records_per_transaction,
                       double *wall_seconds, double *cpu_seconds) {
  sqlite3 *db = 0;
  char state[400];
  memset(state, 'x', sizeof state);
  int code = sqlite3_open(target, &db);
  if (code == SQLITE_OK)
    code = run(db,
               "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
               "CREATE TABLE record(id BLOB PRIMARY KEY, feed TEXT, revision INTEGER, state TEXT) STRICT;"
               "CREATE UNIQUE INDEX by_revision ON record(feed, revision);"
               "CREATE TABLE operation(id BLOB PRIMARY KEY, hash BLOB, revision INTEGER) STRICT, WITHOUT ROWID;"
               "CREATE TABLE device(replica INTEGER PRIMARY KEY, request INTEGER) STRICT;"
               "CREATE TABLE head(clock INTEGER, revision INTEGER) STRICT; INSERT INTO head VALUES (0, 0)");
  sqlite3_stmt *record = prepare(db, "INSERT INTO record VALUES (?, 'books', ?, ?)", &code);
  sqlite3_stmt *operation = prepare(db, "INSERT INTO operation VALUES (randomblob(16), randomblob(32), ?)", &code);
  sqlite3_stmt *device = prepare(db, "INSERT OR REPLACE INTO device VALUES (?, ?)", &code);
  sqlite3_stmt *head = prepare(db, "UPDATE head SET clock = ?, revision = ?", &code);
  double wall = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_THREAD_CPUTIME_ID);
  for (int i = 0; code == SQLITE_OK && i < records; i++) {
    unsigned char id[16] = {0};
    for (int byte = 0; byte < 4; byte++) id[15 - byte] = (unsigned char)(i >> (8 * byte));
    if (i % records_per_transaction == 0) code = run(db, i ? "COMMIT; BEGIN IMMEDIATE" : "BEGIN IMMEDIATE");
    sqlite3_bind_blob(record, 1, id, sizeof id, SQLITE_STATIC);
    sqlite3_bind_int(record, 2, i);
    sqlite3_bind_text(record, 3, state, sizeof state, SQLITE_STATIC);
    if (code == SQLITE_OK) code = step(db, record);
    sqlite3_bind_int(operation, 1, i);
    if (code == SQLITE_OK) code = step(db, operation);
    sqlite3_bind_int(device, 1, i % records_per_transaction);
    sqlite3_bind_int(device, 2, i);
    if (code == SQLITE_OK) code = step(db, device);
    sqlite3_bind_int(head, 1, i);
    sqlite3_bind_int(head, 2, i);
    if (code == SQLITE_OK) code = step(db, head);
  }
  if (code == SQLITE_OK) code = run(db, "COMMIT");
  *wall_seconds = seconds(CLOCK_MONOTONIC) - wall;
  *cpu_seconds = seconds(CLOCK_THREAD_CPUTIME_ID) - cpu;
  for (int i = 0; i < 4; i++) sqlite3_finalize((sqlite3_stmt *[]){record, operation, device, head}[i]);
  sqlite3_close(db);
  return code;
}
