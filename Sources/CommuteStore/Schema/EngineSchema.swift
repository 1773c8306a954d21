import CommuteSQLite

/// The engine's own tables: what a device knows beside the records.
///
/// Their names begin with `c_`. Steps are never edited once they are released; the tables that
/// later versions fill stand here from the first one on, so that their rows have a place.
enum EngineSchema {
  /// What is written into the file's header; a file with a greater number is a newer app's.
  static let version: Int32 = 8

  /// All steps, and the table that remembers which of them ran.
  static let plan = MigrationPlan(
    table: "c_migration", schemaVersion: version, whole: whole,
    [
      Migration("0001-engine", first), Migration("0002-failures", failures),
      Migration("0003-inboxes", inboxes), Migration("0004-absence", absence),
      Migration("0005-refusals", refusals),
      Migration("0006-steps", steps),
      Migration("0007-stamps", stamps),
      Migration("0008-told", told),
    ])

  /// What the server last told of a record stands in the first of its rows in line.
  ///
  /// That row is written anyway; `c_base` is for records that are offered again and have none. Rows
  /// are found by their positions, which the writer knows by the records.
  private static let told = """
    ALTER TABLE c_outbox ADD COLUMN told BLOB;
    UPDATE c_outbox SET told = (
        SELECT state FROM c_base WHERE c_base.tbl = c_outbox.tbl AND c_base.id = c_outbox.id)
      WHERE position IN (SELECT min(position) FROM c_outbox GROUP BY tbl, id);
    DELETE FROM c_base WHERE (tbl, id) IN (SELECT tbl, id FROM c_outbox);
    DROP INDEX IF EXISTS c_outbox_id;
    """

  /// Nothing in the tables: rows that are written from here on have a shorter `_commute`.
  ///
  /// Earlier programs would take it for damage; the number in the header keeps them out.
  private static let stamps = "SELECT 7"

  /// What an app brings along: the named steps that ran on this file, and settings of this device.
  private static let steps = """
    CREATE TABLE c_step(
      position INTEGER PRIMARY KEY,
      name TEXT NOT NULL UNIQUE,
      ran_at INTEGER NOT NULL           -- milliseconds since 1970
    ) STRICT;
    CREATE TABLE c_preference(
      name TEXT PRIMARY KEY,
      value BLOB NOT NULL               -- packed
    ) STRICT, WITHOUT ROWID;
    """

  /// How often in a row the server failed at an operation that was sent alone.
  private static let failures = """
    ALTER TABLE c_outbox ADD COLUMN failures INTEGER NOT NULL DEFAULT 0
    """

  /// Both inboxes: what goes with a refused creation, and conflicts as they are addressed to this
  /// device; their records lie in `c_unknown`.
  private static let inboxes = """
    ALTER TABLE c_inbox ADD COLUMN behind INTEGER;
    DROP TABLE c_conflict;
    CREATE TABLE c_conflict(
      entry INTEGER PRIMARY KEY,
      conflict BLOB NOT NULL UNIQUE,    -- the id of the conflict's own record
      tbl TEXT NOT NULL,                -- the record in which the value lost
      id BLOB NOT NULL,
      field TEXT NOT NULL,
      rule TEXT NOT NULL,
      noted_at INTEGER NOT NULL
    ) STRICT;
    """

  /// Records that are offered again stand in line like operations; how far a reset has come is the
  /// feed's cursor.
  private static let absence = """
    DROP TABLE c_offer;
    CREATE TABLE c_offer(
      position INTEGER PRIMARY KEY,
      operation BLOB NOT NULL UNIQUE,   -- the id that the verdict names
      tbl TEXT NOT NULL,
      id BLOB NOT NULL,
      feed TEXT NOT NULL,
      state BLOB NOT NULL,              -- the record as an earlier history told it, packed
      attempts INTEGER NOT NULL,
      not_before INTEGER NOT NULL,
      failures INTEGER NOT NULL DEFAULT 0,
      UNIQUE (id, tbl)
    ) STRICT;
    ALTER TABLE c_feed DROP COLUMN reset_position;
    """

  /// What the server would not take or give: the words with which a feed was taken away, and how
  /// many operations it takes at once.
  private static let refusals = """
    ALTER TABLE c_feed ADD COLUMN revoked TEXT;
    ALTER TABLE c_meta ADD COLUMN batch INTEGER;
    """

  /// The tables of the first version.
  private static let first = """
    -- The file itself: one row.
    CREATE TABLE c_meta(
      one INTEGER PRIMARY KEY CHECK (one = 1),
      owner TEXT NOT NULL,              -- tenant/user whose data this is
      replica INTEGER NOT NULL,         -- the writing identity, a number of c_replica
      epoch INTEGER,                    -- the server's history, a place in epochs
      epochs BLOB NOT NULL,             -- every epoch ever heard of, eight bytes each
      clock INTEGER NOT NULL,           -- latest packed time; c_outbox.clock may be later
      clock_offset INTEGER,             -- milliseconds the server is ahead; null: never measured
      number INTEGER NOT NULL,          -- highest request number marked
      nonce BLOB,                       -- of the round under way
      schema_name TEXT NOT NULL,        -- the app's schema
      schema_version INTEGER NOT NULL,
      schema_text TEXT NOT NULL,        -- its tables and fields
      boot TEXT NOT NULL,               -- the machine's boot at the last writing
      clean_end INTEGER NOT NULL,       -- 1: the last writer closed the file
      retry_at INTEGER,                 -- wall clock of the next attempt
      retry_boot TEXT,                  -- boot under which retry_clock counts
      retry_clock INTEGER,              -- monotonic clock of the next attempt
      retry_remaining INTEGER,          -- milliseconds that were left when it was stored
      retry_failures INTEGER NOT NULL,  -- failures in a row
      retry_failure TEXT,               -- the last one
      synced_at INTEGER,                -- wall clock of the last round that succeeded
      device TEXT NOT NULL,             -- a name people know the device by
      server TEXT,                      -- the address used last
      notes BLOB                        -- small values that a program keeps for itself
    ) STRICT;

    -- Short numbers of writing identities, and the names of their devices.
    CREATE TABLE c_replica(
      number INTEGER PRIMARY KEY,
      replica TEXT NOT NULL,            -- 16 hexadecimal digits
      name TEXT NOT NULL,               -- empty where none was told
      own INTEGER NOT NULL              -- place among this file's identities, 0: another's
    ) STRICT;

    -- The feeds this device knows, and how far it has read them.
    CREATE TABLE c_feed(
      feed TEXT PRIMARY KEY,
      cursor INTEGER,                   -- null: from the start
      fence INTEGER NOT NULL,
      subscribed INTEGER NOT NULL,
      granted INTEGER,                  -- the number of the grant
      reset_fence INTEGER,              -- the reset it is inside of
      reset_position INTEGER
    ) STRICT, WITHOUT ROWID;

    -- This device's own changes, in the order of first change.
    CREATE TABLE c_outbox(
      position INTEGER PRIMARY KEY,
      operation BLOB NOT NULL,
      tbl TEXT NOT NULL,
      id BLOB NOT NULL,
      feed TEXT NOT NULL,
      schema INTEGER NOT NULL,          -- the app's schema version
      replica INTEGER NOT NULL,         -- who wrote it, a number of c_replica
      creates INTEGER NOT NULL,
      fields BLOB NOT NULL,             -- values, stamps, over and base values, packed
      deleted BLOB,                     -- packed stamps
      revives BLOB,
      needs BLOB,
      clock INTEGER NOT NULL,           -- the file's clock after this row was last changed
      in_flight INTEGER NOT NULL DEFAULT 0,
      epoch TEXT,                       -- in which it was first sent
      base BLOB,                        -- the revision the device held then, packed
      bytes BLOB,                       -- exactly what is sent
      attempts INTEGER NOT NULL DEFAULT 0,
      perhaps_sent INTEGER NOT NULL DEFAULT 0,  -- rounds that told nothing about it
      not_before INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    CREATE INDEX c_outbox_id ON c_outbox(id);
    CREATE INDEX c_outbox_in_flight ON c_outbox(position) WHERE in_flight = 1;

    -- Operations that the server refused, until a person has decided.
    CREATE TABLE c_inbox(
      entry INTEGER PRIMARY KEY,
      code TEXT NOT NULL,
      message TEXT NOT NULL,
      refused_at INTEGER NOT NULL,
      record BLOB,                      -- as the server told it, packed
      operation BLOB NOT NULL,
      tbl TEXT NOT NULL,
      id BLOB NOT NULL,
      feed TEXT NOT NULL,
      schema INTEGER NOT NULL,
      replica INTEGER NOT NULL,
      creates INTEGER NOT NULL,
      fields BLOB NOT NULL,
      deleted BLOB,
      revives BLOB,
      needs BLOB,
      epoch TEXT,
      base BLOB,
      bytes BLOB,
      attempts INTEGER NOT NULL,
      perhaps_sent INTEGER NOT NULL
    ) STRICT;

    -- Values that lost to another device's and that a person may want to see.
    CREATE TABLE c_conflict(
      entry INTEGER PRIMARY KEY,
      tbl TEXT NOT NULL,
      id BLOB NOT NULL,
      feed TEXT NOT NULL,
      field TEXT NOT NULL,
      mine BLOB,
      theirs BLOB,
      noted_at INTEGER NOT NULL,
      seen INTEGER NOT NULL
    ) STRICT;

    -- Records to offer again after the server began a new history.
    CREATE TABLE c_offer(
      operation BLOB PRIMARY KEY,
      tbl TEXT NOT NULL,
      id BLOB NOT NULL,
      feed TEXT NOT NULL,
      epoch TEXT NOT NULL,
      state BLOB NOT NULL,
      bytes BLOB,
      in_flight INTEGER NOT NULL,
      attempts INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;

    -- Deleted records of known tables.
    CREATE TABLE c_tombstone(
      tbl TEXT NOT NULL,
      id BLOB NOT NULL,
      feed TEXT NOT NULL,
      revision INTEGER,                 -- null: the server has not told it
      deleted INTEGER NOT NULL,         -- milliseconds
      state BLOB NOT NULL,
      PRIMARY KEY (tbl, id)
    ) STRICT, WITHOUT ROWID;

    -- Records of tables that this app does not know.
    CREATE TABLE c_unknown(
      tbl TEXT NOT NULL,
      id BLOB NOT NULL,
      feed TEXT NOT NULL,
      revision INTEGER,
      state BLOB NOT NULL,
      PRIMARY KEY (tbl, id)
    ) STRICT, WITHOUT ROWID;

    -- What the server last told of records with pending changes.
    CREATE TABLE c_base(
      tbl TEXT NOT NULL,
      id BLOB NOT NULL,
      state BLOB NOT NULL,
      PRIMARY KEY (tbl, id)
    ) STRICT, WITHOUT ROWID;

    -- Records that the reset under way has told.
    CREATE TABLE c_seen(
      feed TEXT NOT NULL,
      tbl TEXT NOT NULL,
      id BLOB NOT NULL,
      PRIMARY KEY (feed, tbl, id)
    ) STRICT, WITHOUT ROWID;

    -- Records that could not be applied.
    CREATE TABLE c_quarantine(
      tbl TEXT NOT NULL,
      id BLOB NOT NULL,
      feed TEXT NOT NULL,
      revision INTEGER,
      reason TEXT NOT NULL,
      kept_at INTEGER NOT NULL,
      state BLOB NOT NULL,
      PRIMARY KEY (tbl, id)
    ) STRICT, WITHOUT ROWID;
    """
}
