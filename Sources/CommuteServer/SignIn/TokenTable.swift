public import CommuteCore

/// Which token signs whom in: hashes only, so that reading the file gives nobody a token.
///
/// The text has one line `tenant user token-sha256` for each token; blank lines and lines that
/// begin with `#` say nothing.
public struct TokenTable: Sendable {
  private struct Entry {
    var digest: SHA256.Digest
    var account: Account
  }

  /// The longest name of a tenant or user, in bytes.
  public static let nameLimit = 256

  private var entries: [Entry] = []

  /// How many tokens there are.
  public var count: Int { entries.count }

  /// Reads the lines.
  ///
  /// - Throws: ``TokenFileError`` naming the line that says something else.
  public init(_ text: String) throws(TokenFileError) {
    var lineOf: [SHA256.Digest: Int] = [:]
    // "\r\n" is one character of Swift's, so lines are parted by bytes.
    for (index, line) in text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false)
      .enumerated()
    {
      let words = line.split { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
      guard let first = words.first, first.first != UInt8(ascii: "#") else { continue }
      let number = index + 1
      let entry = try Self.entry(words.map { String(Substring($0)) }, line: number)
      if let earlier = lineOf[entry.digest] {
        throw .line(number, problem: .sameToken(asLine: earlier))
      }
      lineOf[entry.digest] = number
      entries.append(entry)
    }
  }

  private static func entry(_ words: [String], line: Int) throws(TokenFileError) -> Entry {
    guard words.count == 3 else { throw .line(line, problem: .wordCount(words.count)) }
    guard !words[0].utf8.contains(UInt8(ascii: "/")) else {
      throw .line(line, problem: .slashInTenant)
    }
    guard words[0].utf8.count <= nameLimit, words[1].utf8.count <= nameLimit else {
      throw .line(line, problem: .longName)
    }
    guard let digest = SHA256.Digest(text: words[2].lowercased()) else {
      throw .line(line, problem: .hash)
    }
    return Entry(digest: digest, account: Account(tenant: words[0], user: words[1]))
  }

  /// Who a token signs in; nil where it is none of these.
  ///
  /// Every hash is compared to its end, so that the time it takes tells nothing about them.
  public func account(of token: String) -> Account? {
    let given = SHA256.hash(Array(token.utf8))
    var place = -1
    for index in entries.indices {
      let known = entries[index].digest
      let difference =
        (known.first ^ given.first) | (known.second ^ given.second)
        | (known.third ^ given.third) | (known.fourth ^ given.fourth)
      // All ones where nothing differs, else zero; no branch depends on the hash.
      let mask = Int(truncatingIfNeeded: (difference | (0 &- difference)) >> 63) &- 1
      place = (place & ~mask) | (index & mask)
    }
    return place < 0 ? nil : entries[place].account
  }
}

/// Why a file of tokens cannot be used.
@nonexhaustive
public enum TokenFileError: Error, Hashable, Sendable {
  /// What is wrong in a line.
  public enum Problem: Hashable, Sendable {
    /// There are not three words.
    case wordCount(Int)
    /// A tenant must not hold a slash: it parts tenant and user.
    case slashInTenant
    /// A name is too long.
    case longName
    /// The last word is no SHA-256 of 64 hexadecimal digits.
    case hash
    /// The token stands in an earlier line, too.
    case sameToken(asLine: Int)
  }

  /// The file cannot be read.
  case unreadable(path: String, reason: String)
  /// A line cannot be used.
  case line(Int, problem: Problem)
}

extension TokenFileError: CustomStringConvertible {
  /// One line for a person: what happened, then what to do.
  public var description: String {
    switch self {
    case .unreadable(let path, let reason):
      "the tokens in \(path) cannot be read: \(reason); check the path and its rights"
    case .line(let number, let problem):
      "line \(number) of the tokens \(problem)"
    }
  }
}

extension TokenFileError.Problem: CustomStringConvertible {
  /// The rest of a sentence that begins with the line.
  public var description: String {
    switch self {
    case .wordCount(let count): "has \(count) words; write: tenant user token-sha256"
    case .slashInTenant: "has a slash in the tenant's name; leave it out"
    case .longName: "has a name of more than \(TokenTable.nameLimit) bytes; shorten it"
    case .hash: "does not end with the 64 hexadecimal digits of a SHA-256; hash the token first"
    case .sameToken(let line): "has the token of line \(line); give each its own"
    }
  }
}
