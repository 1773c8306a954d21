import Testing

@testable import CrashRunner

/// Each rule of the checks finds what breaks it.
@Suite struct CheckTests {
  private var ledger = Ledger()
  private var file = DeviceFile()
  private var server = ServerFile()
  private var findings = Findings { _ in }
  private let id = String(repeating: "7", count: 32)

  init() {
    file.isMade = true
    server.head = 9
    write(1, .insert)
    write(2, .own)
    file.rows[id] = row("a-0000002-0", "a-0000001-0")
    server.rows[id] = row("a-0000002-0", "a-0000001-0")
  }

  private func row(_ own: Substring, _ contested: Substring = "") -> SheetRow? {
    let count = SheetValue(own)?.sequence ?? 0
    return SheetRow([own, "\(count)", "", "0", "", "0", contested][...])
  }

  private mutating func write(_ sequence: Int, _ kind: SheetWrite.Change.Kind) {
    announce(sequence, kind)
    ledger.settle(0, sequence)
  }

  private mutating func announce(_ sequence: Int, _ kind: SheetWrite.Change.Kind) {
    let change = SheetWrite.Change(kind: kind, record: id)
    ledger.announce(SheetWrite(slot: 0, sequence: sequence, changes: [change]))
  }

  /// A change in line that gives column `a` a value, packed as the store does.
  private func pending(_ value: String, deletes: Bool = false) -> DeviceFile.OutboxRow {
    DeviceFile.OutboxRow(
      deletes: deletes, fields: [1, 9, 9, 1, 1, 0x61, 4, 11] + Array(value.utf8) + [8])
  }

  private mutating func check() {
    let check = DeviceCheck(slot: 0, file: file, server: server)
    check.resolve(&ledger, &findings)
    check.check(ledger, &findings)
  }

  @Test mutating func `a file that agrees with the list is in order`() {
    check()
    #expect(findings.lost == [])
    #expect(findings.corrupt == [])
  }

  @Test mutating func `a value older than the last that returned is lost`() {
    file.rows[id] = row("a-0000001-0")
    check()
    #expect(findings.lost.count == 1)
  }

  @Test mutating func `a record that nobody deleted and that is gone is lost`() {
    file.rows[id] = nil
    check()
    #expect(findings.lost.count == 1)
  }

  @Test mutating func `a deletion that returned must hold`() {
    write(3, .delete)
    check()
    #expect(findings.lost.count == 1)
  }

  @Test mutating func `what is shown must be in line or at the server`() {
    server.rows[id] = row("a-0000001-0")
    check()
    #expect(findings.corrupt.count == 1)
    file.outbox[id] = [pending("a-0000002-0")]
    findings = Findings { _ in }
    check()
    #expect(findings.corrupt == [])
  }

  @Test mutating func `what is in line must be shown`() {
    announce(3, .own)
    file.outbox[id] = [pending("a-0000003-0")]
    check()
    #expect(!findings.corrupt.isEmpty)
  }

  @Test mutating func `a deletion in line and its record in the view are half a write`() {
    file.outbox[id] = [pending("a-0000002-0", deletes: true)]
    check()
    #expect(findings.corrupt.count == 1)
  }

  @Test mutating func `a value without the number beside it is half a write`() {
    file.rows[id]?.counts[0] = "1"
    check()
    #expect(findings.corrupt.count == 1)
  }

  @Test mutating func `a write that did not return may be there or not`() {
    announce(3, .own)
    check()
    #expect(findings.lost.isEmpty && findings.corrupt.isEmpty)
    announce(4, .own)
    file.rows[id] = row("a-0000004-0", "a-0000001-0")
    file.outbox[id] = [pending("a-0000004-0")]
    check()
    #expect(findings.lost.isEmpty && findings.corrupt.isEmpty)
    #expect(ledger.records[id]?.own[0]?.sequence == 4)
  }

  @Test mutating func `a write that turned out not to be there must not come back`() {
    announce(3, .own)
    check()
    file.rows[id] = row("a-0000003-0", "a-0000001-0")
    server.rows[id] = file.rows[id]
    check()
    #expect(!findings.corrupt.isEmpty)
  }

  @Test mutating func `one write of two records is there with both or with none`() {
    let other = String(repeating: "8", count: 32)
    let changes = [id, other].map { SheetWrite.Change(kind: .own, record: $0) }
    file.rows[other] = row("")
    ledger.announce(SheetWrite(slot: 0, sequence: 3, changes: changes))
    file.rows[other] = row("a-0000003-1")
    file.outbox[other] = [pending("a-0000003-1")]
    check()
    #expect(findings.corrupt.contains { $0.contains("half made") })
  }

  @Test func `one value in two records was applied twice`() {
    let rows = [id: row("a-0000002-0"), "8": row("a-0000002-0")].compactMapValues { $0 }
    #expect(SheetRow.repeated(in: rows).count == 1)
  }

  @Test mutating func `an operation that was acknowledged must be at the server`() {
    let words: [Substring] = ["07", id[...], "-", "a-0000002-0", "s2", "-", "-"]
    let problem = ledger.acknowledge(words, of: 0)
    #expect(problem == nil)
    var seen: [String: [SheetValue?]] = [:]
    ServerCheck(file: server).check(ledger, seen: &seen, &findings)
    #expect(findings.lost.count == 1)
    server.operations = ["07"]
    server.rows[id] = row("a-0000001-0")
    ServerCheck(file: server).check(ledger, seen: &seen, &findings)
    #expect(findings.lost.count == 3)
  }

  @Test mutating func `a later value must have a later stamp`() {
    let words: [Substring] = ["07", id[...], "-", "a-0000001-0", "s2", "-", "-"]
    #expect(ledger.acknowledge(words, of: 0) == nil)
    var later = words
    later[3] = "a-0000002-0"
    #expect(ledger.acknowledge(later, of: 0) != nil)
    later[4] = "s3"
    #expect(ledger.acknowledge(later, of: 0) == nil)
  }

  @Test mutating func `at rest everybody holds the last value`() {
    file.cursor = 9
    let devices = [file, file, file]
    RestCheck(devices: devices, server: server).check(ledger, &findings)
    #expect(findings.lost.isEmpty && findings.corrupt.isEmpty)
    write(3, .own)
    RestCheck(devices: devices, server: server).check(ledger, &findings)
    #expect(findings.lost.count == 1)
  }
}
