extension EngineSchema {
  /// The tables as they are now: what all steps make of a file that has nothing, to the byte.
  ///
  /// A new file is made of this at once, in a quarter of the time that the steps would take. A new
  /// step changes it, too; a test compares both.
  static let whole = """
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
    , batch INTEGER) STRICT;

    CREATE TABLE c_replica(
      number INTEGER PRIMARY KEY,
      replica TEXT NOT NULL,            -- 16 hexadecimal digits
      name TEXT NOT NULL,               -- empty where none was told
      own INTEGER NOT NULL              -- place among this file's identities, 0: another's
    ) STRICT;

    CREATE TABLE c_feed(
      feed TEXT PRIMARY KEY,
      cursor INTEGER,                   -- null: from the start
      fence INTEGER NOT NULL,
      subscribed INTEGER NOT NULL,
      granted INTEGER,                  -- the number of the grant
      reset_fence INTEGER, revoked TEXT) STRICT, WITHOUT ROWID;

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
    , failures INTEGER NOT NULL DEFAULT 0, told BLOB) STRICT;

    CREATE INDEX c_outbox_in_flight ON c_outbox(position) WHERE in_flight = 1;

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
    , behind INTEGER) STRICT;

    CREATE TABLE c_tombstone(
      tbl TEXT NOT NULL,
      id BLOB NOT NULL,
      feed TEXT NOT NULL,
      revision INTEGER,                 -- null: the server has not told it
      deleted INTEGER NOT NULL,         -- milliseconds
      state BLOB NOT NULL,
      PRIMARY KEY (tbl, id)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE c_unknown(
      tbl TEXT NOT NULL,
      id BLOB NOT NULL,
      feed TEXT NOT NULL,
      revision INTEGER,
      state BLOB NOT NULL,
      PRIMARY KEY (tbl, id)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE c_base(
      tbl TEXT NOT NULL,
      id BLOB NOT NULL,
      state BLOB NOT NULL,
      PRIMARY KEY (tbl, id)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE c_seen(
      feed TEXT NOT NULL,
      tbl TEXT NOT NULL,
      id BLOB NOT NULL,
      PRIMARY KEY (feed, tbl, id)
    ) STRICT, WITHOUT ROWID;

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

    CREATE TABLE c_conflict(
      entry INTEGER PRIMARY KEY,
      conflict BLOB NOT NULL UNIQUE,    -- the id of the conflict's own record
      tbl TEXT NOT NULL,                -- the record in which the value lost
      id BLOB NOT NULL,
      field TEXT NOT NULL,
      rule TEXT NOT NULL,
      noted_at INTEGER NOT NULL
    ) STRICT;

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
}
