-- A reading list from before sync, as its last version left it: books have row numbers only.
-- sqlite3 old-reading-list.sqlite < old-reading-list.sql
PRAGMA user_version = 1;
CREATE TABLE book(
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  title TEXT NOT NULL,
  author TEXT NOT NULL DEFAULT '',
  tags TEXT NOT NULL DEFAULT '',        -- words with commas between
  read INTEGER NOT NULL DEFAULT 0,
  read_on INTEGER,                      -- days since 1970
  rating INTEGER NOT NULL DEFAULT 0,    -- 0: none
  notes TEXT NOT NULL DEFAULT ''
);
-- The sample that came with the program; number 3 was deleted, and Frankenstein ticked and rated.
INSERT INTO book(number, title, author, tags) VALUES
  (1, 'The Time Machine', 'H. G. Wells', 'classics, science');
INSERT INTO book(number, title, author, tags, read, read_on, rating) VALUES
  (2, 'Frankenstein', 'Mary Shelley', 'classics, gothic', 1, 19800, 5);
INSERT INTO book(number, title, author, tags) VALUES
  (4, 'Jane Eyre', 'Charlotte Brontë', 'classics, england'),
  (5, 'Around the World in Eighty Days', 'Jules Verne', 'classics, travel');
-- What a person added; the second Jane Eyre is another copy of the same book.
INSERT INTO book(number, title, author, tags, read, read_on, rating, notes) VALUES
  (6, 'Middlemarch', 'George Eliot', 'england', 1, 19000, 4, 'Long, and worth it.'),
  (7, 'Jane Eyre', 'Charlotte Brontë', '', 0, NULL, 0, 'the copy at the cottage'),
  (9, '   ', '', '', 0, NULL, 9, 'what was it called?');
