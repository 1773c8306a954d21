import Foundation

/// The record that a device keeps outside its database.
struct HostFile: Equatable {
  var replica: String
  var number: UInt64

  /// Reads the one record of a folder; nil where there is none.
  init?(in folder: String) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    // Beside it may lie the half of one that was about to replace it.
    let texts = names.filter { $0.count == 64 }.compactMap { name in
      try? String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
    }
    let lines = texts.map { $0.split(whereSeparator: \.isWhitespace) }
    guard let words = lines.first(where: { $0.count == 2 }), let number = UInt64(words[1]) else {
      return nil
    }
    self.init(replica: String(words[0]), number: number)
  }

  private init(replica: String, number: UInt64) {
    self.replica = replica
    self.number = number
  }
}
