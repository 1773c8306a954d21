#include "include/StoreFloor.h"
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define TRY(expression)                                                                  \
  do {                                                                                   \
    int code_ = (expression);                                                            \
    if (code_ != SQLITE_OK && code_ != SQLITE_DONE && code_ != SQLITE_ROW) {             \
      fprintf(stderr, "floor: line %d, SQLite %d: %s\n", __LINE__, code_, sqlite3_errmsg(db)); \
      return code_;                                                                      \
    }                                                                                    \
  } while (0)

static double clock_of(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}
static double cpu(void) { return clock_of(CLOCK_PROCESS_CPUTIME_ID); }
static double now(void) { return clock_of(CLOCK_MONOTONIC); }

static uint64_t mixed(uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

void floor_key(uint64_t index, uint64_t *high, uint64_t *low) {
  *high = (1700000000000ULL + index / 3) << 16 | 0x7000 | (index % 3) << 8 | (mixed(index) & 0xff);
  *low = 0x8000000000000000ULL | (mixed(index * 2 + 2) >> 2);
}

static void put64(unsigned char *to, uint64_t number) {
  for (int byte = 0; byte < 8; byte++) to[byte] = (unsigned char)(number >> (56 - 8 * byte));
}

typedef struct {
  unsigned char key[16];
  char text_key[37];
  char title[32];
} todo_value;

static void text_id(char *to, uint64_t index) {
  snprintf(to, 37, "%08x-%04x-4%03x-8%03x-%012llx", (unsigned)mixed(index * 2 + 1), (unsigned)index & 0xffff,
           (unsigned)(mixed(index) & 0xfff), (unsigned)(mixed(index + 7) & 0xfff),
           (unsigned long long)(mixed(index * 2 + 2) & 0xffffffffffffULL));
}

static todo_value *values(int count) {
  todo_value *all = malloc(sizeof *all * (size_t)count);
  for (int i = 0; i < count; i++) {
    uint64_t high, low;
    floor_key((uint64_t)i, &high, &low);
    put64(all[i].key, high);
    put64(all[i].key + 8, low);
    text_id(all[i].text_key, (uint64_t)i);
    snprintf(all[i].title, sizeof all[i].title, "Buy milk and bread, item %06d", i % 1000000);
  }
  return all;
}

static const char *const tables[] = {
    "CREATE TABLE todo(id BLOB PRIMARY KEY NOT NULL, feed TEXT NOT NULL, title TEXT, completed INTEGER,"
    " updatedAt INTEGER, version INTEGER) STRICT, WITHOUT ROWID;"
    "CREATE TABLE c_outbox(position INTEGER PRIMARY KEY, operation BLOB NOT NULL, tbl TEXT NOT NULL,"
    " id BLOB NOT NULL, feed TEXT NOT NULL, schema INTEGER NOT NULL, replica INTEGER NOT NULL,"
    " creates INTEGER NOT NULL, fields BLOB NOT NULL, deleted BLOB, revives BLOB, needs BLOB,"
    " clock INTEGER NOT NULL, in_flight INTEGER NOT NULL DEFAULT 0, epoch TEXT, base BLOB, bytes BLOB,"
    " attempts INTEGER NOT NULL DEFAULT 0, perhaps_sent INTEGER NOT NULL DEFAULT 0,"
    " not_before INTEGER NOT NULL DEFAULT 0, failures INTEGER NOT NULL DEFAULT 0, told BLOB) STRICT;"
    "CREATE INDEX c_outbox_in_flight ON c_outbox(position) WHERE in_flight = 1;",
    "CREATE TABLE todo(id TEXT PRIMARY KEY NOT NULL, title TEXT NOT NULL, completed INTEGER NOT NULL,"
    " updatedAt INTEGER, version INTEGER NOT NULL, stamps BLOB NOT NULL);"
    "CREATE TABLE c_outbox(seq INTEGER PRIMARY KEY, op_id TEXT NOT NULL UNIQUE, entity_id TEXT NOT NULL,"
    " kind INTEGER NOT NULL, base_version INTEGER NOT NULL, payload TEXT NOT NULL,"
    " attempts INTEGER NOT NULL DEFAULT 0);"};

static int open_file(const char *path, const char *schema, int cache, sqlite3 **opened) {
  sqlite3 *db = 0;
  char pragmas[200];
  if (schema) {
    char name[700];
    for (int i = 0; i < 3; i++) {
      snprintf(name, sizeof name, "%s%s", path, (const char *[]){"", "-wal", "-shm"}[i]);
      unlink(name);
    }
  }
  TRY(sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, 0));
  snprintf(pragmas, sizeof pragmas,
           "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA cache_size=-%d; PRAGMA wal_autocheckpoint=2000",
           cache);
  TRY(sqlite3_exec(db, pragmas, 0, 0, 0));
  if (schema) TRY(sqlite3_exec(db, schema, 0, 0, 0));
  *opened = db;
  return 0;
}

static int prepare(sqlite3 *db, const char *sql, sqlite3_stmt **statement) {
  TRY(sqlite3_prepare_v3(db, sql, -1, SQLITE_PREPARE_PERSISTENT, statement, 0));
  return 0;
}

static int step(sqlite3 *db, sqlite3_stmt *statement) {
  TRY(sqlite3_step(statement));
  sqlite3_reset(statement);
  return 0;
}

static int ascending(const void *one, const void *other) {
  double left = *(const double *)one, right = *(const double *)other;
  return left < right ? -1 : left > right;
}

/// A number as bytes of seven bits.
static int put_varint(unsigned char *to, uint64_t number) {
  int used = 0;
  while (number >= 128) {
    to[used++] = (unsigned char)(number | 128);
    number >>= 7;
  }
  to[used++] = (unsigned char)number;
  return used;
}

static int put_text(unsigned char *to, const char *text) {
  int length = (int)strlen(text);
  int used = put_varint(to, (uint64_t)length);
  memcpy(to + used, text, (size_t)length);
  return used + length;
}

typedef struct {
  sqlite3 *db;
  sqlite3_stmt *insert, *queue, *begin, *commit;
  floor_shape shape;
  uint64_t clock;
} writer;

static int open_writer(writer *it, sqlite3 *db, floor_shape shape) {
  *it = (writer){.db = db, .shape = shape};
  TRY(prepare(db, shape == FLOOR_OWN ? "INSERT INTO todo VALUES(?,'todos',?,?,?,?)" : "INSERT INTO todo VALUES(?,?,?,?,?,?)",
              &it->insert));
  TRY(prepare(db,
              shape == FLOOR_OWN
                  ? "INSERT INTO c_outbox(operation, creates, fields, clock, position, tbl, id, feed, schema, replica)"
                    " VALUES (?1, ?2, ?3, ?4, ?5, 'todo', ?6, 'todos', 1, 0)"
                  : "INSERT INTO c_outbox(op_id, entity_id, kind, base_version, payload) VALUES(?,?,?,?,?)",
              &it->queue));
  TRY(prepare(db, "BEGIN IMMEDIATE", &it->begin));
  TRY(prepare(db, "COMMIT", &it->commit));
  return 0;
}

static void close_writer(writer *it) {
  for (int i = 0; i < 4; i++) sqlite3_finalize((sqlite3_stmt *[]){it->insert, it->queue, it->begin, it->commit}[i]);
}

static uint64_t tick(writer *it) {
  uint64_t wall = (uint64_t)(clock_of(CLOCK_REALTIME) * 1000) << 16;
  it->clock = wall > it->clock ? wall : it->clock + 1;
  return it->clock;
}

static int insert_own(writer *it, const todo_value *value, int i) {
  sqlite3 *db = it->db;
  unsigned char fields[128], operation[16];
  uint64_t clock = tick(it);
  sqlite3_bind_blob(it->insert, 1, value->key, 16, SQLITE_STATIC);
  sqlite3_bind_text(it->insert, 2, value->title, -1, SQLITE_STATIC);
  sqlite3_bind_int(it->insert, 3, i & 1);
  sqlite3_bind_int64(it->insert, 4, 1700000000000LL + i);
  sqlite3_bind_int64(it->insert, 5, i);
  TRY(step(db, it->insert));
  int used = put_varint(fields, clock);
  used += put_text(fields + used, value->title);
  fields[used++] = (unsigned char)(i & 1);
  used += put_varint(fields + used, (uint64_t)(1700000000000LL + i));
  used += put_varint(fields + used, (uint64_t)i);
  put64(operation, clock);
  put64(operation + 8, mixed((uint64_t)i));
  sqlite3_bind_blob(it->queue, 1, operation, 16, SQLITE_STATIC);
  sqlite3_bind_int(it->queue, 2, 1);
  sqlite3_bind_blob(it->queue, 3, fields, used, SQLITE_STATIC);
  sqlite3_bind_int64(it->queue, 4, (int64_t)clock);
  sqlite3_bind_int64(it->queue, 5, i + 1);
  sqlite3_bind_blob(it->queue, 6, value->key, 16, SQLITE_STATIC);
  return step(db, it->queue);
}

static int queue_text(writer *it, const todo_value *value, int i) {
  char operation[37], payload[256];
  text_id(operation, (uint64_t)(1000000 + i));
  int used = snprintf(payload, sizeof payload, "{\"id\":\"%s\",\"title\":\"%s\",\"completed\":%s,\"updatedAt\":%lld}",
                      value->text_key, value->title, i & 1 ? "true" : "false", 1700000000000LL + i);
  sqlite3_bind_text(it->queue, 1, operation, 36, SQLITE_STATIC);
  sqlite3_bind_text(it->queue, 2, value->text_key, 36, SQLITE_STATIC);
  sqlite3_bind_int(it->queue, 3, 1);
  sqlite3_bind_int64(it->queue, 4, i);
  sqlite3_bind_text(it->queue, 5, payload, used, SQLITE_STATIC);
  return step(it->db, it->queue);
}

static int insert_text(writer *it, const todo_value *value, int i) {
  sqlite3 *db = it->db;
  unsigned char stamps[32];
  for (int field = 0; field < 4; field++) put64(stamps + 8 * field, tick(it));
  sqlite3_bind_text(it->insert, 1, value->text_key, 36, SQLITE_STATIC);
  sqlite3_bind_text(it->insert, 2, value->title, -1, SQLITE_STATIC);
  sqlite3_bind_int(it->insert, 3, i & 1);
  sqlite3_bind_int64(it->insert, 4, 1700000000000LL + i);
  sqlite3_bind_int64(it->insert, 5, i);
  sqlite3_bind_blob(it->insert, 6, stamps, sizeof stamps, SQLITE_STATIC);
  TRY(step(db, it->insert));
  return queue_text(it, value, i);
}

static int insert_one(writer *it, const todo_value *value, int i) {
  return it->shape == FLOOR_OWN ? insert_own(it, value, i) : insert_text(it, value, i);
}

int floor_insert_many(const char *path, floor_shape shape, int count, int cache, floor_time *time) {
  sqlite3 *db = 0;
  writer it;
  todo_value *all = values(count);
  TRY(open_file(path, tables[shape], cache, &db));
  double start = cpu();
  TRY(open_writer(&it, db, shape));
  TRY(step(db, it.begin));
  for (int i = 0; i < count; i++) TRY(insert_one(&it, all + i, i));
  TRY(step(db, it.commit));
  time->cpu = cpu() - start;
  close_writer(&it);
  sqlite3_close(db);
  free(all);
  return 0;
}

int floor_insert_each(const char *path, floor_shape shape, int count, int cache, floor_time *time) {
  sqlite3 *db = 0;
  writer it;
  todo_value *all = values(count);
  double *calls = malloc(sizeof *calls * (size_t)count);
  TRY(open_file(path, tables[shape], cache, &db));
  TRY(open_writer(&it, db, shape));
  double start = cpu();
  for (int i = 0; i < count; i++) {
    double call = now();
    TRY(step(db, it.begin));
    TRY(insert_one(&it, all + i, i));
    TRY(step(db, it.commit));
    calls[i] = now() - call;
  }
  time->cpu = cpu() - start;
  qsort(calls, (size_t)count, sizeof *calls, ascending);
  time->p50 = calls[count / 2] * 1e6;
  close_writer(&it);
  sqlite3_close(db);
  free(calls);
  free(all);
  return 0;
}

typedef struct {
  sqlite3_stmt *find, *update;
} updater;

static int update_one(writer *it, updater *with, const todo_value *value, const char *title, int i) {
  sqlite3 *db = it->db;
  int length = (int)strlen(title);
  if (it->shape == FLOOR_OWN)
    sqlite3_bind_blob(with->find, 1, value->key, 16, SQLITE_STATIC);
  else
    sqlite3_bind_text(with->find, 1, value->text_key, 36, SQLITE_STATIC);
  TRY(sqlite3_step(with->find));
  const char *old = (const char *)sqlite3_column_text(with->find, 0);
  int differs = sqlite3_column_bytes(with->find, 0) != length || memcmp(old, title, (size_t)length) != 0;
  volatile int64_t others = sqlite3_column_int64(with->find, 1) + sqlite3_column_int64(with->find, 2) +
                            sqlite3_column_int64(with->find, 3);
  (void)others;
  sqlite3_reset(with->find);
  if (!differs) return 0;
  uint64_t clock = tick(it);
  sqlite3_bind_text(with->update, 1, title, length, SQLITE_STATIC);
  if (it->shape == FLOOR_TEXT) {
    unsigned char stamps[32] = {0};
    put64(stamps, clock);
    sqlite3_bind_text(with->update, 2, value->text_key, 36, SQLITE_STATIC);
    sqlite3_bind_blob(with->update, 3, stamps, sizeof stamps, SQLITE_TRANSIENT);
    TRY(step(db, with->update));
    return queue_text(it, value, i);
  }
  sqlite3_bind_blob(with->update, 2, value->key, 16, SQLITE_STATIC);
  TRY(step(db, with->update));
  unsigned char fields[64], operation[16];
  int used = put_varint(fields, clock);
  used += put_text(fields + used, title);
  put64(operation, clock);
  put64(operation + 8, mixed((uint64_t)i));
  sqlite3_bind_blob(it->queue, 1, operation, 16, SQLITE_STATIC);
  sqlite3_bind_int(it->queue, 2, 0);
  sqlite3_bind_blob(it->queue, 3, fields, used, SQLITE_STATIC);
  sqlite3_bind_int64(it->queue, 4, (int64_t)clock);
  sqlite3_bind_int64(it->queue, 5, i + 1);
  sqlite3_bind_blob(it->queue, 6, value->key, 16, SQLITE_STATIC);
  return step(db, it->queue);
}

int floor_update_each(const char *path, floor_shape shape, int count, int cache, floor_time *time) {
  sqlite3 *db = 0;
  writer it;
  updater with;
  todo_value *all = values(count);
  double *calls = malloc(sizeof *calls * (size_t)count);
  TRY(open_file(path, 0, cache, &db));
  TRY(sqlite3_exec(db, "DELETE FROM c_outbox", 0, 0, 0));
  TRY(open_writer(&it, db, shape));
  TRY(prepare(db, "SELECT title, completed, updatedAt, version FROM todo WHERE id = ?", &with.find));
  TRY(prepare(db,
              shape == FLOOR_OWN ? "UPDATE todo SET title = ? WHERE id = ?"
                                 : "UPDATE todo SET title = ?1, stamps = ?3 WHERE id = ?2",
              &with.update));
  double start = cpu();
  for (int i = 0; i < count; i++) {
    double call = now();
    TRY(step(db, it.begin));
    TRY(update_one(&it, &with, all + i, all[(i * 7 + 13) % count].title, i));
    TRY(step(db, it.commit));
    calls[i] = now() - call;
  }
  time->cpu = cpu() - start;
  qsort(calls, (size_t)count, sizeof *calls, ascending);
  time->p50 = calls[count / 2] * 1e6;
  sqlite3_finalize(with.find);
  sqlite3_finalize(with.update);
  close_writer(&it);
  sqlite3_close(db);
  free(calls);
  free(all);
  return 0;
}

typedef struct {
  unsigned char key[16];
  char text_key[37];
  char *title;
  int completed, has_updated;
  int64_t updated, version;
} todo;

static void read_todo(sqlite3_stmt *row, floor_shape shape, todo *to) {
  if (shape == FLOOR_OWN)
    memcpy(to->key, sqlite3_column_blob(row, 0), 16);
  else
    memcpy(to->text_key, sqlite3_column_text(row, 0), 37);
  to->title = strdup((const char *)sqlite3_column_text(row, 1));
  to->completed = sqlite3_column_int(row, 2);
  to->has_updated = sqlite3_column_type(row, 3) != SQLITE_NULL;
  to->updated = sqlite3_column_int64(row, 3);
  to->version = sqlite3_column_int64(row, 4);
}

int floor_fetch_all(const char *path, floor_shape shape, int count, int cache, floor_time *time) {
  sqlite3 *db = 0;
  sqlite3_stmt *select = 0;
  TRY(open_file(path, 0, cache, &db));
  TRY(prepare(db, "SELECT id, title, completed, updatedAt, version FROM todo", &select));
  for (int pass = 0; pass < 2; pass++) {
    todo *all = 0;
    size_t used = 0, room = 0;
    double start = cpu();
    while (sqlite3_step(select) == SQLITE_ROW) {
      if (used == room) all = realloc(all, sizeof *all * (room = room ? room * 2 : 1024));
      read_todo(select, shape, all + used++);
    }
    time->cpu = cpu() - start;
    sqlite3_reset(select);
    for (size_t i = 0; i < used; i++) free(all[i].title);
    free(all);
    if (used != (size_t)count) return SQLITE_MISMATCH;
  }
  sqlite3_finalize(select);
  sqlite3_close(db);
  return 0;
}

int floor_fetch_each(const char *path, floor_shape shape, int count, int cache, floor_time *time) {
  sqlite3 *db = 0;
  sqlite3_stmt *select = 0;
  volatile int64_t sum = 0;
  todo_value *all = values(count);
  TRY(open_file(path, 0, cache, &db));
  TRY(prepare(db, "SELECT id, title, completed, updatedAt, version FROM todo WHERE id = ?", &select));
  double start = cpu();
  for (int i = 0; i < count; i++) {
    const todo_value *value = all + mixed((uint64_t)i) % (uint64_t)count;
    todo found;
    if (shape == FLOOR_OWN)
      sqlite3_bind_blob(select, 1, value->key, 16, SQLITE_STATIC);
    else
      sqlite3_bind_text(select, 1, value->text_key, 36, SQLITE_STATIC);
    if (sqlite3_step(select) != SQLITE_ROW) return SQLITE_NOTFOUND;
    read_todo(select, shape, &found);
    sum += found.version + found.title[0];
    free(found.title);
    sqlite3_reset(select);
  }
  time->cpu = cpu() - start;
  sqlite3_finalize(select);
  sqlite3_close(db);
  free(all);
  return 0;
}

int floor_fill_volumes(const char *path, int count, int cache) {
  sqlite3 *db = 0;
  sqlite3_stmt *insert = 0;
  todo_value *all = values(count);
  TRY(open_file(path,
                "CREATE TABLE volume(id BLOB PRIMARY KEY NOT NULL, feed TEXT NOT NULL, title TEXT, author TEXT,"
                " note TEXT, read INTEGER, rating INTEGER, price REAL, added REAL, tags TEXT, link TEXT)"
                " STRICT, WITHOUT ROWID",
                cache, &db));
  TRY(prepare(db, "INSERT INTO volume VALUES(?,'volumes',?,?,?,?,?,?,?,?,?)", &insert));
  TRY(sqlite3_exec(db, "BEGIN", 0, 0, 0));
  for (int i = 0; i < count; i++) {
    char title[64], link[64];
    snprintf(title, sizeof title, "The long way to a small planet %06d", i);
    snprintf(link, sizeof link, "https://example.org/books/%d", i);
    sqlite3_bind_blob(insert, 1, all[i].key, 16, SQLITE_STATIC);
    sqlite3_bind_text(insert, 2, title, -1, SQLITE_STATIC);
    sqlite3_bind_text(insert, 3, "Becky Chambers", -1, SQLITE_STATIC);
    if (i % 3 == 0)
      sqlite3_bind_null(insert, 4);
    else
      sqlite3_bind_text(insert, 4, "read it again in spring", -1, SQLITE_STATIC);
    sqlite3_bind_int(insert, 5, i & 1);
    if (i % 4 == 0)
      sqlite3_bind_null(insert, 6);
    else
      sqlite3_bind_int(insert, 6, i % 5);
    sqlite3_bind_double(insert, 7, i / 8.0);
    sqlite3_bind_double(insert, 8, 1.7e9 + i);
    sqlite3_bind_text(insert, 9, i % 2 == 0 ? "[]" : "[\"novel\",\"space\"]", -1, SQLITE_STATIC);
    sqlite3_bind_text(insert, 10, link, -1, SQLITE_STATIC);
    TRY(step(db, insert));
  }
  TRY(sqlite3_exec(db, "COMMIT", 0, 0, 0));
  sqlite3_finalize(insert);
  sqlite3_close(db);
  free(all);
  return 0;
}

typedef struct {
  unsigned char key[16];
  char *title, *author, *note, *link, *tags[4];
  int tag_count, read, has_rating;
  int64_t rating;
  double price, added;
} volume;

/// The texts of a list as it is stored; none of the bench's has an escaped character.
static int read_list(const char *list, char **to, int room) {
  int count = 0;
  const char *at = list;
  while (count < room && (at = strchr(at, '"'))) {
    const char *end = strchr(++at, '"');
    if (!end) break;
    to[count++] = strndup(at, (size_t)(end - at));
    at = end + 1;
  }
  return count;
}

static void read_volume(sqlite3_stmt *row, volume *to) {
  memcpy(to->key, sqlite3_column_blob(row, 0), 16);
  to->title = strdup((const char *)sqlite3_column_text(row, 1));
  to->author = strdup((const char *)sqlite3_column_text(row, 2));
  const char *note = (const char *)sqlite3_column_text(row, 3);
  to->note = note ? strdup(note) : 0;
  to->read = sqlite3_column_int(row, 4);
  to->has_rating = sqlite3_column_type(row, 5) != SQLITE_NULL;
  to->rating = sqlite3_column_int64(row, 5);
  to->price = sqlite3_column_double(row, 6);
  to->added = sqlite3_column_double(row, 7);
  to->tag_count = read_list((const char *)sqlite3_column_text(row, 8), to->tags, 4);
  to->link = strdup((const char *)sqlite3_column_text(row, 9));
}

int floor_fetch_volumes(const char *path, int count, int cache, floor_time *time) {
  sqlite3 *db = 0;
  sqlite3_stmt *select = 0;
  TRY(open_file(path, 0, cache, &db));
  TRY(prepare(db, "SELECT id, title, author, note, read, rating, price, added, tags, link FROM volume", &select));
  for (int pass = 0; pass < 2; pass++) {
    volume *all = 0;
    size_t used = 0, room = 0;
    double start = cpu();
    while (sqlite3_step(select) == SQLITE_ROW) {
      if (used == room) all = realloc(all, sizeof *all * (room = room ? room * 2 : 1024));
      read_volume(select, all + used++);
    }
    time->cpu = cpu() - start;
    sqlite3_reset(select);
    for (size_t i = 0; i < used; i++) {
      for (int tag = 0; tag < all[i].tag_count; tag++) free(all[i].tags[tag]);
      free(all[i].title);
      free(all[i].author);
      free(all[i].note);
      free(all[i].link);
    }
    free(all);
    if (used != (size_t)count) return SQLITE_MISMATCH;
  }
  sqlite3_finalize(select);
  sqlite3_close(db);
  return 0;
}

/// Four stamps: the time they were made at, and who made them.
static void stamp_all(unsigned char *to, uint64_t time, uint64_t replica) {
  for (int field = 0; field < 4; field++) {
    put64(to + 16 * field, time);
    put64(to + 16 * field + 8, replica);
  }
}

int floor_fill_stamped(const char *path, int count, int cache) {
  sqlite3 *db = 0;
  sqlite3_stmt *insert = 0;
  unsigned char stamps[64];
  todo_value *all = values(count);
  stamp_all(stamps, 1000, 1);
  TRY(open_file(path,
                "CREATE TABLE todo(id BLOB PRIMARY KEY NOT NULL, feed TEXT NOT NULL, title TEXT, completed INTEGER,"
                " updatedAt INTEGER, version INTEGER, stamps BLOB NOT NULL) STRICT, WITHOUT ROWID",
                cache, &db));
  TRY(prepare(db, "INSERT INTO todo VALUES(?,'todos',?,?,?,?,?)", &insert));
  TRY(sqlite3_exec(db, "BEGIN", 0, 0, 0));
  for (int i = 0; i < count; i++) {
    sqlite3_bind_blob(insert, 1, all[i].key, 16, SQLITE_STATIC);
    sqlite3_bind_text(insert, 2, all[i].title, -1, SQLITE_STATIC);
    sqlite3_bind_int(insert, 3, i & 1);
    sqlite3_bind_int64(insert, 4, 1700000000000LL + i);
    sqlite3_bind_int64(insert, 5, i);
    sqlite3_bind_blob(insert, 6, stamps, sizeof stamps, SQLITE_STATIC);
    TRY(step(db, insert));
  }
  TRY(sqlite3_exec(db, "COMMIT", 0, 0, 0));
  sqlite3_finalize(insert);
  sqlite3_close(db);
  free(all);
  return 0;
}

/// One record as it was pulled.
typedef struct {
  unsigned char key[16], stamps[64];
  char title[48];
  int completed;
  int64_t updated, version;
} pulled;

static int merge_one(sqlite3 *db, sqlite3_stmt *find, sqlite3_stmt *update, const pulled *news) {
  unsigned char stamps[64];
  char title[64];
  sqlite3_bind_blob(find, 1, news->key, 16, SQLITE_STATIC);
  if (sqlite3_step(find) != SQLITE_ROW) return SQLITE_NOTFOUND;
  snprintf(title, sizeof title, "%s", (const char *)sqlite3_column_text(find, 0));
  int completed = sqlite3_column_int(find, 1);
  int64_t updated = sqlite3_column_int64(find, 2), version = sqlite3_column_int64(find, 3);
  memcpy(stamps, sqlite3_column_blob(find, 4), sizeof stamps);
  sqlite3_reset(find);
  for (int field = 0; field < 4; field++) {
    if (memcmp(news->stamps + 16 * field, stamps + 16 * field, 16) <= 0) continue;
    memcpy(stamps + 16 * field, news->stamps + 16 * field, 16);
    switch (field) {
    case 0: snprintf(title, sizeof title, "%s", news->title); break;
    case 1: completed = news->completed; break;
    case 2: updated = news->updated; break;
    default: version = news->version;
    }
  }
  sqlite3_bind_text(update, 1, title, -1, SQLITE_STATIC);
  sqlite3_bind_int(update, 2, completed);
  sqlite3_bind_int64(update, 3, updated);
  sqlite3_bind_int64(update, 4, version);
  sqlite3_bind_blob(update, 5, stamps, sizeof stamps, SQLITE_STATIC);
  sqlite3_bind_blob(update, 6, news->key, 16, SQLITE_STATIC);
  return step(db, update);
}

int floor_merge(const char *path, int count, int per_transaction, int cache, floor_time *time) {
  sqlite3 *db = 0;
  sqlite3_stmt *find = 0, *update = 0;
  pulled *all = calloc((size_t)count, sizeof *all);
  for (int i = 0; i < count; i++) {
    uint64_t high, low;
    floor_key((uint64_t)i, &high, &low);
    put64(all[i].key, high);
    put64(all[i].key + 8, low);
    stamp_all(all[i].stamps, 1000, 1);
    put64(all[i].stamps, 2000);
    put64(all[i].stamps + 8, 2);
    put64(all[i].stamps + 48, 2000);
    put64(all[i].stamps + 56, 2);
    snprintf(all[i].title, sizeof all[i].title, "Buy milk and bread, again %06d", i % 1000000);
    all[i].completed = i & 1;
    all[i].updated = 1700000000000LL + i;
    all[i].version = i + 1;
  }
  TRY(open_file(path, 0, cache, &db));
  TRY(prepare(db, "SELECT title, completed, updatedAt, version, stamps FROM todo WHERE id = ?", &find));
  TRY(prepare(db, "UPDATE todo SET title=?, completed=?, updatedAt=?, version=?, stamps=? WHERE id=?", &update));
  double start = cpu();
  for (int i = 0; i < count; i++) {
    if (i % per_transaction == 0) TRY(sqlite3_exec(db, i ? "COMMIT; BEGIN IMMEDIATE" : "BEGIN IMMEDIATE", 0, 0, 0));
    TRY(merge_one(db, find, update, all + i));
  }
  TRY(sqlite3_exec(db, "COMMIT", 0, 0, 0));
  time->cpu = cpu() - start;
  sqlite3_finalize(find);
  sqlite3_finalize(update);
  sqlite3_close(db);
  free(all);
  return 0;
}

int64_t floor_bytes(const char *path, floor_shape shape) {
  sqlite3 *db = 0;
  sqlite3_stmt *size = 0;
  (void)shape;
  if (open_file(path, 0, 2000, &db)) return -1;
  sqlite3_exec(db, "DROP TABLE IF EXISTS c_outbox; VACUUM; PRAGMA wal_checkpoint(TRUNCATE)", 0, 0, 0);
  if (prepare(db, "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size", &size)) return -1;
  int64_t bytes = sqlite3_step(size) == SQLITE_ROW ? sqlite3_column_int64(size, 0) : -1;
  sqlite3_finalize(size);
  sqlite3_close(db);
  return bytes;
}
