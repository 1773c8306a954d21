import Foundation
import Testing

@testable import CommuteTool

/// The disk is full: a small one in memory, which only the processes of the test see.
@Suite struct FullDiskTests {
  /// Runs a shell script on a disk of one mebibyte.
  ///
  /// Where no disk can be mounted, the greatest file that may be written takes its place.
  private func onSmallDisk(
    _ bench: Workbench, _ script: String, _ words: String...
  ) async throws -> ChildProcess.Outcome {
    let disk = bench.path("disk")
    try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: true)
    let head = "commute=$1 disk=$2; shift 2; mount -t tmpfs -o size=1m tmpfs \"$disk\" || exit 99\n"
    for options in [["-m"], ["-r", "-m"]] {
      guard let unshare = ChildProcess.path(of: "unshare") else { break }
      let outcome = try await ChildProcess(
        program: unshare,
        arguments: options + ["sh", "-c", head + script, "sh", Workbench.program, disk] + words,
        environment: bench.environment
      ).run()
      if outcome.code != 99, !outcome.complaint.hasPrefix("unshare:") { return outcome }
    }
    let limit = "trap '' XFSZ; ulimit -f 1024; commute=$1 disk=$2; shift 2\n"
    return try await ChildProcess(
      program: "/bin/sh", arguments: ["-c", limit + script, "sh", Workbench.program, disk] + words,
      environment: bench.environment
    ).run()
  }

  @Test func `a full disk is told; what was said to be written is there, and nothing by half`()
    async throws
  {
    let bench = try Workbench()
    // Notes of 40,000 characters until one does not fit; then room is made and one fits again.
    let outcome = try await onSmallDisk(
      bench,
      """
      long=$(head -c 40000 /dev/zero | tr '\\0' x)
      written=0
      head -c 100000 /dev/zero > "$disk/ballast"
      while [ $written -lt 60 ]; do
        "$commute" books add "Book $written" --note "$long" --device "$disk/a" \
          > "$disk/../out" 2> "$disk/../err"
        code=$?
        [ $code -eq 0 ] || break
        written=$((written + 1))
      done
      echo "code $code"
      echo "written $written"
      echo "there $(sqlite3 -readonly "$disk/a/commute.db" "SELECT count(*) FROM book")"
      echo "waiting $(sqlite3 -readonly "$disk/a/commute.db" "SELECT count(*) FROM c_outbox")"
      echo "check $(sqlite3 -readonly "$disk/a/commute.db" "PRAGMA integrity_check")"
      "$commute" books list --device "$disk/a" | tail -n 1
      # Nothing at all is left, and who the file is would have to be written: looking goes on.
      rm -r "$disk/../state"
      head -c 1048576 /dev/zero > "$disk/rest" 2> /dev/null
      echo "listed $("$commute" books list --device "$disk/a" | tail -n 1)"
      echo "status $("$commute" books status --device "$disk/a" | head -n 1)"
      echo "exported $("$commute" books export --device "$disk/a" | grep -c '^.*Book [0-9]')"
      rm "$disk/ballast" "$disk/rest"
      "$commute" books add "Small" --device "$disk/a" | head -n 1
      cat "$disk/../err"
      """)
    var found: [String: String] = [:]
    let lines = outcome.output.split(separator: "\n").map(String.init)
    for line in lines {
      let parts = line.split(separator: " ", maxSplits: 1).map(String.init)
      if parts.count == 2 { found[parts[0]] = parts[1] }
    }
    #expect(found["code"] == "4", "\(outcome)")
    let written = Int(found["written"] ?? "") ?? 0
    #expect(written > 3, "\(outcome)")
    #expect(found["there"] == "\(written)" && found["waiting"] == "\(written)")
    #expect(found["check"] == "ok")
    #expect(lines.contains("\(written) books · Not sent yet · \(written) changes waiting"))
    #expect(found["commute:"]?.contains("disk") == true, "\(outcome)")
    #expect(found["listed"]?.hasPrefix("\(written) books") == true, "\(outcome)")
    #expect(found["status"] == "Not sent yet · \(written) changes waiting", "\(outcome)")
    #expect(found["exported"] == "\(written)", "\(outcome)")
  }

  @Test func `a server on a full disk acknowledges nothing it does not hold, and devices wait`()
    async throws
  {
    let bench = try Workbench()
    let outcome = try await onSmallDisk(
      bench,
      """
      long=$(head -c 60000 /dev/zero | tr '\\0' x)
      mkfifo "$1/fifo"
      "$commute" serve --port 0 --db "$disk/server.db" --with-input \
        < "$1/fifo" > "$1/served" 2> "$1/complained" &
      exec 3> "$1/fifo"
      until grep -q listening "$1/served"; do :; done
      url=$(sed -n 's/listening on //p' "$1/served")
      sent=0
      code=0
      while [ $sent -lt 40 ] && [ $code -eq 0 ]; do
        "$commute" books add "Book $sent" --note "$long" --device "$1/a" --server "$url" --sync \
          > "$1/out" 2> "$1/err"
        code=$?
        [ $code -ne 0 ] || sent=$((sent + 1))
      done
      exec 3>&-
      wait
      echo "code $code"
      echo "sent $sent"
      echo "held $(sqlite3 -readonly "$disk/server.db" "SELECT count(*) FROM record")"
      echo "check $(sqlite3 -readonly "$disk/server.db" "PRAGMA integrity_check")"
      echo "waiting $(sqlite3 -readonly "$1/a/commute.db" "SELECT count(*) FROM c_outbox")"
      cat "$1/out"
      """, bench.folder)
    let lines = outcome.output.split(separator: "\n").map(String.init)
    let sent = lines.first { $0.hasPrefix("sent ") }.flatMap { Int($0.dropFirst(5)) } ?? 0
    #expect(lines.contains("code 3"), "\(outcome)")
    #expect(sent > 3 && lines.contains("held \(sent)"), "\(outcome)")
    #expect(lines.contains("check ok") && lines.contains("waiting 1"))
    #expect(lines.contains { $0.contains("1 change waiting") })
  }
}
