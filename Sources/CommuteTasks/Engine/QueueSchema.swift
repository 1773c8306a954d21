package import CommuteSQLite
import CommuteStore

/// The queue's tables in the store's file.
package enum QueueSchema {
  static let version = 1

  /// Whether the tables are there, in a form that this app knows.
  ///
  /// Looking at a queue that has them takes no lock that others would wait for.
  ///
  /// - Throws: ``QueueError/newerSchema(found:known:)`` where a newer app made them.
  static func isThere(_ connection: Connection) throws -> Bool {
    let isThere = try connection.statement(
      "SELECT count(*) FROM sqlite_schema WHERE name = 'q_meta'"
    ).firstInt64()
    guard isThere != 0 else { return false }
    let found = try connection.statement(
      "SELECT CAST(value AS INTEGER) FROM q_meta WHERE key = 'schema'"
    ).firstInt64()
    let number = Int(clamping: found ?? 0)
    guard number <= version else { throw QueueError.newerSchema(found: number, known: version) }
    return true
  }

  /// Makes the tables where there are none.
  ///
  /// - Throws: ``QueueError/newerSchema(found:known:)`` where a newer app made them.
  package static func prepare(_ connection: Connection) throws(QueueError) {
    do {
      if try !isThere(connection) { try connection.execute(text) }
    } catch {
      throw .of((error as? SQLiteError).map { StoreError($0) } ?? error)
    }
  }

  /// States are those of `TaskState`; times are milliseconds of the wall clock, always handed in.
  private static let text = """
    CREATE TABLE q_session(
      id INTEGER PRIMARY KEY AUTOINCREMENT, boot TEXT NOT NULL, pid INTEGER NOT NULL,
      lock TEXT NOT NULL, started_at INTEGER NOT NULL, beat_at INTEGER NOT NULL) STRICT;
    CREATE TABLE q_graph(
      id INTEGER PRIMARY KEY AUTOINCREMENT, uid BLOB NOT NULL UNIQUE, name TEXT NOT NULL,
      unique_key TEXT, on_failure INTEGER NOT NULL, state INTEGER NOT NULL,
      total INTEGER NOT NULL, open INTEGER NOT NULL, bad INTEGER NOT NULL DEFAULT 0,
      created_at INTEGER NOT NULL, finished_at INTEGER) STRICT;
    CREATE UNIQUE INDEX q_graph_unique ON q_graph(unique_key)
      WHERE unique_key IS NOT NULL AND state < 10;
    CREATE TABLE q_task(
      id INTEGER PRIMARY KEY AUTOINCREMENT, uid BLOB NOT NULL UNIQUE, kind TEXT NOT NULL,
      version INTEGER NOT NULL, lane TEXT NOT NULL, state INTEGER NOT NULL,
      requires INTEGER NOT NULL, urgency INTEGER NOT NULL, rank INTEGER NOT NULL,
      serial_key TEXT, holds INTEGER NOT NULL DEFAULT 0, unique_key TEXT,
      due_at INTEGER NOT NULL, delay INTEGER, expires_at INTEGER, start_within INTEGER,
      timeout INTEGER,
      attempt INTEGER NOT NULL DEFAULT 0, failures INTEGER NOT NULL DEFAULT 0,
      crashes INTEGER NOT NULL DEFAULT 0, interruptions INTEGER NOT NULL DEFAULT 0,
      first_delay INTEGER NOT NULL, growth INTEGER NOT NULL, delay_limit INTEGER NOT NULL,
      failure_limit INTEGER NOT NULL,
      owner INTEGER, lease_until INTEGER, started INTEGER NOT NULL DEFAULT 0,
      stuck INTEGER NOT NULL DEFAULT 0, cancel_requested INTEGER NOT NULL DEFAULT 0,
      payload BLOB NOT NULL, result BLOB, code INTEGER, reason TEXT,
      unreadable INTEGER NOT NULL DEFAULT 0, token TEXT,
      graph INTEGER, node TEXT,
      join_rule INTEGER NOT NULL DEFAULT 0, parents INTEGER NOT NULL DEFAULT 0,
      parents_left INTEGER NOT NULL DEFAULT 0, parents_bad INTEGER NOT NULL DEFAULT 0,
      schedule INTEGER, occurrence INTEGER,
      created_at INTEGER NOT NULL, finished_at INTEGER,
      CHECK (state IN (0, 1, 2, 3, 4, 5, 10, 11, 12, 13, 14)),
      CHECK ((state = 3) = (owner IS NOT NULL)),
      CHECK ((state >= 10) = (finished_at IS NOT NULL)),
      CHECK (state <> 0 OR parents_left > 0)) STRICT;
    CREATE INDEX q_task_claim ON q_task(lane, requires, rank, id) WHERE state = 2;
    CREATE INDEX q_task_suspect ON q_task(rank, id) WHERE state = 2 AND crashes > 0;
    CREATE INDEX q_task_due ON q_task(due_at) WHERE state = 1;
    CREATE INDEX q_task_expiry ON q_task(expires_at) WHERE expires_at IS NOT NULL AND state < 3;
    CREATE INDEX q_task_running ON q_task(lane, owner) WHERE state = 3;
    CREATE INDEX q_task_parked ON q_task(kind) WHERE state = 5 AND unreadable = 1;
    CREATE INDEX q_task_over ON q_task(finished_at) WHERE state >= 10;
    CREATE UNIQUE INDEX q_task_unique ON q_task(unique_key)
      WHERE unique_key IS NOT NULL AND state < 10;
    CREATE INDEX q_task_serial ON q_task(serial_key, id)
      WHERE serial_key IS NOT NULL AND (state < 10 OR state = 11 AND holds = 1);
    CREATE INDEX q_task_serial_on ON q_task(serial_key)
      WHERE serial_key IS NOT NULL AND state IN (3, 4);
    CREATE UNIQUE INDEX q_task_token ON q_task(token) WHERE state = 4;
    CREATE UNIQUE INDEX q_task_node ON q_task(graph, node) WHERE graph IS NOT NULL;
    CREATE UNIQUE INDEX q_task_occurrence ON q_task(schedule, occurrence)
      WHERE schedule IS NOT NULL;
    CREATE TABLE q_edge(
      parent INTEGER NOT NULL,
      child INTEGER NOT NULL,
      PRIMARY KEY (parent, child), CHECK (parent <> child)) WITHOUT ROWID, STRICT;
    CREATE INDEX q_edge_child ON q_edge(child);
    CREATE TABLE q_step(
      task INTEGER NOT NULL, name TEXT NOT NULL,
      version INTEGER NOT NULL, result BLOB NOT NULL, at INTEGER NOT NULL,
      PRIMARY KEY (task, name)) WITHOUT ROWID, STRICT;
    CREATE TABLE q_tag(
      tag TEXT NOT NULL, task INTEGER NOT NULL,
      PRIMARY KEY (tag, task)) WITHOUT ROWID, STRICT;
    CREATE INDEX q_tag_task ON q_tag(task);
    CREATE TABLE q_schedule(
      id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, kind TEXT NOT NULL,
      version INTEGER NOT NULL, payload BLOB NOT NULL, policy TEXT NOT NULL, rule TEXT NOT NULL,
      overlap INTEGER NOT NULL, catch_up INTEGER NOT NULL, enabled INTEGER NOT NULL DEFAULT 1,
      next_at INTEGER, last_at INTEGER) STRICT;
    CREATE TABLE q_lane(
      name TEXT PRIMARY KEY, width INTEGER NOT NULL, paused_until INTEGER,
      pause_reason TEXT) STRICT;
    CREATE TABLE q_event(
      seq INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, task BLOB, graph BLOB,
      type INTEGER NOT NULL, attempt INTEGER, detail TEXT) STRICT;
    CREATE TABLE q_cursor(observer TEXT PRIMARY KEY, seq INTEGER NOT NULL) STRICT;
    CREATE TABLE q_clock(
      one INTEGER PRIMARY KEY CHECK (one = 1), boot TEXT NOT NULL, offset INTEGER NOT NULL) STRICT;
    CREATE TABLE q_meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
    CREATE TABLE q_figure(
      lane TEXT NOT NULL, urgency INTEGER NOT NULL, state INTEGER NOT NULL, count INTEGER NOT NULL,
      PRIMARY KEY (lane, urgency, state)) WITHOUT ROWID, STRICT;
    CREATE TRIGGER q_figure_new AFTER INSERT ON q_task BEGIN
      INSERT INTO q_figure VALUES (new.lane, new.urgency, new.state, 1)
        ON CONFLICT (lane, urgency, state) DO UPDATE SET count = count + 1;
    END;
    CREATE TRIGGER q_figure_changed AFTER UPDATE OF state, lane, urgency ON q_task
      WHEN old.state <> new.state OR old.lane <> new.lane OR old.urgency <> new.urgency BEGIN
      UPDATE q_figure SET count = count - 1
        WHERE lane = old.lane AND urgency = old.urgency AND state = old.state;
      INSERT INTO q_figure VALUES (new.lane, new.urgency, new.state, 1)
        ON CONFLICT (lane, urgency, state) DO UPDATE SET count = count + 1;
    END;
    INSERT INTO q_meta(key, value) VALUES ('schema', '1');
    """
}
