import CommuteCore

/// What comes out of a vector's input, as UTF-8; nothing where the kind is unknown.
///
/// Input that the core refuses also has a result: the refusal, in words that the vector expects.
public func vectorResult(kind: VectorKind, input: [UInt8]) -> [UInt8]? {
  switch kind {
  case "echo": input
  case "stamp": VectorChecks.stamp(input)
  case "stamp-order": VectorChecks.stampOrder(input)
  case "canonical": VectorChecks.value(input) { VectorChecks.hexadecimal($0.canonicalBytes) }
  case "value": VectorChecks.value(input) { $0.json }
  case "value-order": VectorChecks.valueOrder(input)
  case "winner": VectorChecks.winner(input)
  case "double": VectorChecks.double(input)
  case "double-text": VectorChecks.doubleText(input)
  case "sha256": VectorChecks.hash(VectorChecks.bytes(of: input[...]))
  case "derived-id": VectorChecks.derivedID(input)
  case "schema-hash": SchemaCheck.hash(input)
  case "key-id": SchemaCheck.keyID(input)
  case "record": VectorChecks.record(input)
  case "operation": VectorChecks.operation(input) { $0.encoded() }
  case "operation-hash": VectorChecks.operation(input) { Array($0.digest.text.utf8) }
  case "request": VectorChecks.request(input)
  case "answer": VectorChecks.answer(input)
  case "request-hex": VectorChecks.request(VectorChecks.bytes(of: input[...]))
  case "answer-hex": VectorChecks.answer(VectorChecks.bytes(of: input[...]))
  case "state": RuleChecks.state(input)
  case "merge": RuleChecks.merge(input)
  case "settle": RuleChecks.settle(input)
  case "text-merge": RuleChecks.textMerge(input)
  case "call": VectorChecks.hash(WebCall.answer(input))
  default: nil
  }
}

/// The kinds of vectors, one function each; `Documentation/Protocol.md` says what they mean.
enum VectorChecks {
  // MARK: Values and stamps

  static func stamp(_ input: [UInt8]) -> [UInt8] {
    guard let stamp = Stamp(utf8: input[...]) else { return Array("refused malformed".utf8) }
    let text = "\(stamp.milliseconds) \(stamp.counter) \(stamp.replica.rawValue)"
    // Both ways, or the text that comes back is not the one that went in.
    return Array(stamp.text.utf8) == input ? Array(text.utf8) : Array("changed".utf8)
  }

  static func stampOrder(_ input: [UInt8]) -> [UInt8] {
    let words = words(of: input)
    guard words.count == 2, let left = Stamp(utf8: words[0]), let right = Stamp(utf8: words[1])
    else { return Array("unreadable".utf8) }
    return sign(left < right, right < left)
  }

  static func value(_ input: [UInt8], _ result: (FieldValue) -> [UInt8]) -> [UInt8] {
    do throws(WireError) {
      return result(try FieldValue(json: input))
    } catch {
      return refusal(error)
    }
  }

  static func valueOrder(_ input: [UInt8]) -> [UInt8] {
    let words = words(of: input)
    guard words.count == 2 else { return Array("unreadable".utf8) }
    do throws(WireError) {
      let left = try FieldValue(json: Array(words[0]))
      let right = try FieldValue(json: Array(words[1]))
      // Equality and hash must agree with the order.
      if (left == right) == (left < right || right < left) { return Array("inconsistent".utf8) }
      if left == right && left.hashValue != right.hashValue { return Array("inconsistent".utf8) }
      return sign(left < right, right < left)
    } catch {
      return refusal(error)
    }
  }

  static func winner(_ input: [UInt8]) -> [UInt8] {
    let words = words(of: input)
    guard words.count == 4, let first = Stamp(utf8: words[0]), let second = Stamp(utf8: words[2])
    else { return Array("unreadable".utf8) }
    do throws(WireError) {
      let left = FieldState(value: try FieldValue(json: Array(words[1])), stamp: first)
      let right = FieldState(value: try FieldValue(json: Array(words[3])), stamp: second)
      let wins = (left.wins(over: right), right.wins(over: left))
      let merged = left.merged(with: right)
      if merged != right.merged(with: left) { return Array("not commutative".utf8) }
      if wins.0 && merged == left { return Array("first".utf8) }
      if wins.1 && merged == right { return Array("second".utf8) }
      return Array((wins.0 || wins.1 ? "inconsistent" : "same").utf8)
    } catch {
      return refusal(error)
    }
  }

  static func double(_ input: [UInt8]) -> [UInt8] {
    value(Array("{\"d\":".utf8) + input + Array("}".utf8)) { value in
      guard case .double = value else { return Array("no double".utf8) }
      return hexadecimal(Array(value.canonicalBytes.dropFirst()))
    }
  }

  static func doubleText(_ input: [UInt8]) -> [UInt8] {
    var bits: UInt64 = 0
    for byte in bytes(of: input[...]) { bits = bits << 8 | UInt64(byte) }
    let json = FieldValue.double(Double(bitPattern: bits)).json
    // {"d":…}
    let number = Array(json.dropFirst(5).dropLast())
    let back = double(number)
    let isSame = back == input || bits == 1 << 63
    return isSame ? number : Array("read back as ".utf8) + back
  }

  // MARK: Hashes

  static func hash(_ input: [UInt8]) -> [UInt8] {
    Array(SHA256.hash(input).text.utf8)
  }

  static func derivedID(_ input: [UInt8]) -> [UInt8] {
    let words = words(of: input)
    guard words.count == 2 else { return Array("unreadable".utf8) }
    let namespace = String(decoding: words[0], as: UTF8.self)
    let id = RecordID.derived(namespace: namespace, bytes: bytes(of: words[1]))
    return Array(id.text.utf8)
  }

  // MARK: Messages

  static func record(_ input: [UInt8]) -> [UInt8] {
    do throws(WireError) {
      let record = try RecordMessage(json: input)
      // Only beside messages may a record lack its revision.
      guard record.state.revision != nil else { return Array("refused malformed".utf8) }
      let json = record.encodedJSON()
      return try RecordMessage(json: json) == record ? json : Array("changed".utf8)
    } catch {
      return refusal(error)
    }
  }

  static func operation(_ input: [UInt8], _ result: (Operation) -> [UInt8]) -> [UInt8] {
    do throws(WireError) {
      let operation = try Operation(decoding: input)
      var back = try Operation(decoding: operation.encoded())
      back.digest = operation.digest
      return back == operation ? result(operation) : Array("changed".utf8)
    } catch {
      return refusal(error)
    }
  }

  static func request(_ input: [UInt8]) -> [UInt8] {
    do throws(WireError) {
      let request = try SyncRequest(decoding: input)
      let bytes = request.encoded()
      return try SyncRequest(decoding: bytes) == request ? bytes : Array("changed".utf8)
    } catch {
      return refusal(error)
    }
  }

  static func answer(_ input: [UInt8]) -> [UInt8] {
    do throws(WireError) {
      let answer = try SyncAnswer(decoding: input)
      let bytes = answer.encoded()
      return try SyncAnswer(decoding: bytes) == answer ? bytes : Array("changed".utf8)
    } catch {
      return refusal(error)
    }
  }

  // MARK: Words

  /// The refusal as vectors write it.
  static func refusal(_ error: WireError) -> [UInt8] {
    let text =
      switch error {
      case .malformed: "malformed"
      case .tooLarge(let limit, _, _): "tooLarge \(limit.name)"
      case .notOurs: "notOurs"
      case .unsupportedProtocol(let version): "unsupportedProtocol \(version)"
      @unknown default: "unknown"
      }
    return Array("refused \(text)".utf8)
  }

  static func sign(_ isLess: Bool, _ isGreater: Bool) -> [UInt8] {
    Array((isLess ? "<" : isGreater ? ">" : "=").utf8)
  }

  static func words(of input: [UInt8]) -> [ArraySlice<UInt8>] {
    input.split(separator: 0x20, omittingEmptySubsequences: false)
  }

  static func hexadecimal(_ bytes: [UInt8]) -> [UInt8] {
    var output: [UInt8] = []
    for byte in bytes {
      for digit in [byte >> 4, byte & 0xF] {
        output.append(digit < 10 ? 0x30 + digit : 0x57 + digit)
      }
    }
    return output
  }

  /// The bytes of hexadecimal digits that the script wrote.
  static func bytes(of digits: ArraySlice<UInt8>) -> [UInt8] {
    var output: [UInt8] = []
    var high: UInt8?
    for digit in digits {
      let number = digit < 0x60 ? digit &- 0x30 : digit &- 0x57
      if let first = high {
        output.append(first << 4 | number)
        high = nil
      } else {
        high = number
      }
    }
    return output
  }
}
