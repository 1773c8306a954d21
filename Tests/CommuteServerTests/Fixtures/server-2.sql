-- A server's file as the schema 2 left it: lists and items of one tenant, one list deleted.
PRAGMA journal_mode = WAL;
PRAGMA user_version = 2;
CREATE TABLE "migration"(
  position INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, fingerprint INTEGER NOT NULL
) STRICT;
PRAGMA application_id = 1131246675;

-- One row: who the server is, and how far its clock has come.
CREATE TABLE meta(
  schema INTEGER NOT NULL,
  server INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  replica INTEGER NOT NULL,
  clock INTEGER NOT NULL,
  began INTEGER NOT NULL
) STRICT;

CREATE TABLE feed(
  tenant TEXT NOT NULL,
  feed TEXT NOT NULL,
  revision INTEGER NOT NULL,
  fence INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (tenant, feed)
) STRICT, WITHOUT ROWID;

-- deleted: when the server settled the latest change of a deleted record, in milliseconds.
CREATE TABLE record(
  tenant TEXT NOT NULL,
  tbl TEXT NOT NULL,
  id BLOB NOT NULL,
  feed TEXT NOT NULL,
  revision INTEGER NOT NULL,
  author TEXT NOT NULL,
  deleted INTEGER,
  state TEXT NOT NULL,
  PRIMARY KEY (tenant, tbl, id)
) STRICT;
CREATE UNIQUE INDEX record_by_revision ON record(tenant, feed, revision);

-- Applied operations only.
CREATE TABLE operation(
  tenant TEXT NOT NULL,
  id BLOB NOT NULL,
  hash BLOB NOT NULL,
  revision INTEGER,
  replica INTEGER NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (tenant, id)
) STRICT, WITHOUT ROWID;

-- The field of a deletion is the empty text.
CREATE TABLE restamp(
  tenant TEXT NOT NULL,
  tbl TEXT NOT NULL,
  record BLOB NOT NULL,
  field TEXT NOT NULL,
  claimed TEXT NOT NULL,
  settled TEXT NOT NULL,
  replica INTEGER NOT NULL,
  PRIMARY KEY (tenant, tbl, record, field, claimed)
) STRICT, WITHOUT ROWID;

CREATE TABLE stub(
  tenant TEXT NOT NULL,
  tbl TEXT NOT NULL,
  id BLOB NOT NULL,
  PRIMARY KEY (tenant, tbl, id)
) STRICT, WITHOUT ROWID;

-- A feed without a row is granted to every user of the tenant under number 1.
CREATE TABLE "grant"(
  tenant TEXT NOT NULL,
  owner TEXT NOT NULL,
  feed TEXT NOT NULL,
  number INTEGER NOT NULL,
  PRIMARY KEY (tenant, owner, feed)
) STRICT, WITHOUT ROWID;

CREATE TABLE epoch_head(
  tenant TEXT NOT NULL,
  epoch INTEGER NOT NULL,
  feed TEXT NOT NULL,
  head INTEGER NOT NULL,
  ended INTEGER NOT NULL,
  PRIMARY KEY (tenant, epoch, feed)
) STRICT, WITHOUT ROWID;

-- request and nonce are those of the last request that carried operations.
CREATE TABLE device(
  tenant TEXT NOT NULL,
  replica INTEGER NOT NULL,
  owner TEXT NOT NULL,
  name TEXT NOT NULL,
  request INTEGER NOT NULL DEFAULT 0,
  nonce BLOB,
  seen_at INTEGER NOT NULL,
  PRIMARY KEY (tenant, replica)
) STRICT, WITHOUT ROWID;

-- What the device said last it had applied; null for a feed it reads from the start.
CREATE TABLE device_cursor(
  tenant TEXT NOT NULL,
  replica INTEGER NOT NULL,
  feed TEXT NOT NULL,
  cursor INTEGER,
  at INTEGER NOT NULL,
  PRIMARY KEY (tenant, replica, feed)
) STRICT, WITHOUT ROWID;
UPDATE meta SET schema = 2;
-- When this file was copied as a backup, in milliseconds; null in a file that is served.
ALTER TABLE meta ADD COLUMN backup INTEGER;

-- The order in which the epochs followed each other: the oldest has the least.
ALTER TABLE epoch_head ADD COLUMN position INTEGER NOT NULL DEFAULT 0;

-- When the memory of a replica's operations was purged, in milliseconds; it stays retired.
ALTER TABLE device ADD COLUMN retired INTEGER;

-- access is 'none', 'read' or 'write'; the reason is for people.
ALTER TABLE "grant" ADD COLUMN access TEXT NOT NULL DEFAULT 'write';
ALTER TABLE "grant" ADD COLUMN reason TEXT;

CREATE INDEX record_deleted ON record(tenant, feed, revision) WHERE deleted IS NOT NULL;
INSERT INTO migration(name, fingerprint) VALUES ('0001-first', 280979681756964545), ('0002-absence', -4336660809503524812);
INSERT INTO meta(schema, server, epoch, replica, clock, began) VALUES (2, 5, 14, 94, 111411200000000000, 1700000000000);
INSERT INTO feed(tenant, feed, revision) VALUES ('local', 'books', 5);
INSERT INTO record(tenant, tbl, id, feed, revision, author, deleted, state) VALUES
  ('local', 'list', x'00000000b00c70000000000000000001', 'books', 1, 'local', NULL,
  '{"id":"00000000-b00c-7000-0000-000000000001","table":"list","revision":["000000000000000e",1],"author":"local","stamps":{"018bcfe56800-0001-000000000000000a":"*"},"fields":{"title":"a"}}');
INSERT INTO record(tenant, tbl, id, feed, revision, author, deleted, state) VALUES
  ('local', 'item', x'00000000b00c70000000000000000002', 'books', 2, 'local', NULL,
  '{"id":"00000000-b00c-7000-0000-000000000002","table":"item","revision":["000000000000000e",2],"author":"local","stamps":{"018bcfe56800-0001-000000000000000a":"*"},"fields":{"list":{"b":"AAAAALAMcAAAAAAAAAAAAQ"},"title":"kept"}}');
INSERT INTO record(tenant, tbl, id, feed, revision, author, deleted, state) VALUES
  ('local', 'item', x'00000000b00c70000000000000000003', 'books', 3, 'local', NULL,
  '{"id":"00000000-b00c-7000-0000-000000000003","table":"item","revision":["000000000000000e",3],"author":"local","stamps":{"018bcfe56800-0001-000000000000000a":"*"},"fields":{"list":{"b":"AAAAALAMcAAAAAAAAAAAAQ"},"title":"Emma"}}');
INSERT INTO record(tenant, tbl, id, feed, revision, author, deleted, state) VALUES
  ('local', 'item', x'00000000b00c70000000000000000004', 'books', 4, 'local', 1700000000000,
  '{"id":"00000000-b00c-7000-0000-000000000004","table":"item","revision":["000000000000000e",4],"author":"local","stamps":{"018bcfe56800-0001-000000000000000a":"*"},"fields":{"list":{"b":"AAAAALAMcAAAAAAAAAAAAQ"},"title":"Dracula"},"deleted":"018bcfe56900-0001-000000000000000a"}');
INSERT INTO record(tenant, tbl, id, feed, revision, author, deleted, state) VALUES
  ('local', 'item', x'00000000b00c70000000000000000005', 'books', 5, 'local', NULL,
  '{"id":"00000000-b00c-7000-0000-000000000005","table":"item","revision":["000000000000000e",5],"author":"local","stamps":{"018bcfe56800-0001-000000000000000a":"*"},"fields":{"list":{"b":"AAAAALAMcAAAAAAAAAAACQ"},"title":"Emma"}}');
