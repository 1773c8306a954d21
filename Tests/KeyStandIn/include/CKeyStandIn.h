// Stands in for SQLCipher in tests: it encrypts nothing, and writes down what it is asked.
//
// It answers `PRAGMA cipher_version` as SQLCipher does, for files in folders that were named, and
// keeps the text of every statement that a connection to such a file runs, in order. It stands
// before the system's own file layer and leaves all other files alone.
#pragma once

// Makes it SQLite's default in this process; the second call does nothing. Returns an SQLite code.
int key_stand_in_install(void);

// Answers for the files whose path holds this text from here on; at most 32 of them.
int key_stand_in_watch(const char *folder);

// What connections to the watched files ran: `NUMBER SQL` a line, the number is the connection's.
// The caller frees it.
char *key_stand_in_log(const char *folder);
