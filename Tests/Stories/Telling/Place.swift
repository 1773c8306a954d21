/// Where books are held.
enum Place: Hashable, Sendable, Comparable {
  case device(DeviceName)
  case server

  static let all: [Place] = [.device(.a), .device(.b), .server]

  var words: String {
    switch self {
    case .device(let name): name.rawValue
    case .server: "server"
    }
  }

  private var order: Int { Place.all.firstIndex(of: self) ?? 0 }

  static func < (left: Place, right: Place) -> Bool { left.order < right.order }
}
