import CommuteSQLite

/// The tables of a server's database; the tenant is part of every key.
///
/// Numbers without sign (epochs, replicas, revisions, request numbers) are kept in the 64 bits of
/// an `INTEGER`; ids and hashes are bytes; `record.state` is the record's JSON as it is sent.
enum ServerSchema {
  /// The version that a newer program raises.
  static let version: Int32 = 3
  /// What tells the file from other databases: `CmtS`.
  static let applicationID: Int64 = 0x436D_7453

  /// The steps to it.
  static let plan = MigrationPlan(
    table: "migration", schemaVersion: version,
    [
      Migration("0001-first", first), Migration("0002-absence", absence),
      Migration("0003-references", references),
    ])

  private static let references = """
    UPDATE meta SET schema = 3;
    -- The references and unique keys that the tables child and unique_key were filled for.
    ALTER TABLE meta ADD COLUMN declared TEXT NOT NULL DEFAULT '';

    -- The living records that a reference ties to a parent, where its deletion changes them.
    CREATE TABLE child(
      tenant TEXT NOT NULL,
      parent_tbl TEXT NOT NULL,
      parent BLOB NOT NULL,
      tbl TEXT NOT NULL,
      id BLOB NOT NULL,
      PRIMARY KEY (tenant, parent_tbl, parent, tbl, id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX child_by_record ON child(tenant, tbl, id);

    -- The living records that have a unique key, by the 16 bytes that stand for its values.
    CREATE TABLE unique_key(
      tenant TEXT NOT NULL,
      key BLOB NOT NULL,
      tbl TEXT NOT NULL,
      id BLOB NOT NULL,
      PRIMARY KEY (tenant, key, tbl, id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX unique_key_by_record ON unique_key(tenant, tbl, id);

    -- Deleted records whose children were not all looked for; at is when, in milliseconds.
    CREATE TABLE open_deletion(
      tenant TEXT NOT NULL,
      position INTEGER NOT NULL,
      tbl TEXT NOT NULL,
      id BLOB NOT NULL,
      author TEXT NOT NULL,
      at INTEGER NOT NULL,
      PRIMARY KEY (tenant, position)
    ) STRICT, WITHOUT ROWID;
    """

  private static let absence = """
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
    """

  private static let first = """
    PRAGMA application_id = \(applicationID);

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
    """
}
