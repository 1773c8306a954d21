#include "CKeyStandIn.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FOLDERS = 32, LINES = 4096, METHODS = 8 };

struct line {
  int connection;
  char *path;
  char *sql;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *folders[FOLDERS];
static int folder_count;
static struct line lines[LINES];
static int line_count;
static int connection_count;
static int installed;

static sqlite3_vfs *below;
static sqlite3_vfs above;

// The system's methods, each with a copy whose file control is ours.
static const sqlite3_io_methods *found[METHODS];
static sqlite3_io_methods copies[METHODS];
static int method_count;

static int is_watched(const char *path) {
  if (!path) return 0;
  for (int i = 0; i < folder_count; i++)
    if (strstr(path, folders[i])) return 1;
  return 0;
}

static int file_control(sqlite3_file *file, int code, void *argument) {
  const sqlite3_io_methods *system = 0;
  for (int i = 0; i < method_count; i++)
    if (file->pMethods == &copies[i]) system = found[i];
  if (code == SQLITE_FCNTL_PRAGMA) {
    char **words = argument;
    if (sqlite3_stricmp(words[1], "cipher_version") == 0) {
      words[0] = sqlite3_mprintf("4.5.6 stand-in");
      return SQLITE_OK;
    }
  }
  return system->xFileControl(file, code, argument);
}

static int open_file(
    sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *given) {
  (void)vfs;
  int code = below->xOpen(below, name, file, flags, given);
  if (code != SQLITE_OK || !(flags & SQLITE_OPEN_MAIN_DB) || !file->pMethods) return code;
  pthread_mutex_lock(&lock);
  if (is_watched(name)) {
    int place = 0;
    while (place < method_count && found[place] != file->pMethods) place++;
    if (place == method_count && method_count < METHODS) {
      found[place] = file->pMethods;
      copies[place] = *file->pMethods;
      copies[place].xFileControl = file_control;
      method_count++;
    }
    if (place < method_count) file->pMethods = &copies[place];
  }
  pthread_mutex_unlock(&lock);
  return code;
}

static int traced(unsigned kind, void *context, void *statement, void *text) {
  (void)kind;
  sqlite3 *database = sqlite3_db_handle(statement);
  const char *path = sqlite3_db_filename(database, "main");
  pthread_mutex_lock(&lock);
  if (is_watched(path) && line_count < LINES) {
    lines[line_count].connection = (int)(long)context;
    lines[line_count].path = strdup(path);
    lines[line_count].sql = strdup(text);
    line_count++;
  }
  pthread_mutex_unlock(&lock);
  return 0;
}

static int opened(sqlite3 *database, char **message, const void *api) {
  (void)message;
  (void)api;
  pthread_mutex_lock(&lock);
  long number = ++connection_count;
  pthread_mutex_unlock(&lock);
  return sqlite3_trace_v2(database, SQLITE_TRACE_STMT, traced, (void *)number);
}

int key_stand_in_install(void) {
  pthread_mutex_lock(&lock);
  int code = SQLITE_OK;
  if (!installed) {
    installed = 1;
    below = sqlite3_vfs_find(0);
    above = *below;
    above.zName = "key-stand-in";
    above.pNext = 0;
    above.xOpen = open_file;
    code = sqlite3_vfs_register(&above, 1);
    if (code == SQLITE_OK) code = sqlite3_auto_extension((void (*)(void))opened);
  }
  pthread_mutex_unlock(&lock);
  return code;
}

int key_stand_in_watch(const char *folder) {
  pthread_mutex_lock(&lock);
  int code = folder_count < FOLDERS ? SQLITE_OK : SQLITE_FULL;
  if (code == SQLITE_OK) folders[folder_count++] = strdup(folder);
  pthread_mutex_unlock(&lock);
  return code;
}

char *key_stand_in_log(const char *folder) {
  pthread_mutex_lock(&lock);
  size_t size = 1;
  for (int i = 0; i < line_count; i++) size += strlen(lines[i].sql) + 16;
  char *log = malloc(size);
  size_t end = 0;
  for (int i = 0; i < line_count && log; i++)
    if (strstr(lines[i].path, folder))
      end += (size_t)snprintf(
          log + end, size - end, "%d %s\n", lines[i].connection, lines[i].sql);
  if (log) log[end] = 0;
  pthread_mutex_unlock(&lock);
  return log;
}
