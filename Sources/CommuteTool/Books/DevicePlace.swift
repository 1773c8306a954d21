import CommuteCore
import CommuteStore
import Foundation

/// Which file of a device is meant: that of the token's account, or of the one that is signed in.
struct DevicePlace: Sendable {
  /// The folder of the store.
  var directory: String
  /// Whose file it is; nil for whoever owns it.
  var account: Account?

  /// Names a place.
  init(directory: String, account: Account?) {
    self.directory = directory
    self.account = account
  }

  /// Finds the place that a command line means.
  init(_ options: DeviceOptions) throws(Failure) {
    let named = try options.tokenFile.map(TokenSource.init(path:))?.read().account
    let accounts = DeviceAccounts(options.directory)
    do throws(StoreError) {
      if let named {
        // Without a file of its own, the store says whose the device's first file is, or begins it.
        directory = try accounts.file(of: named)?.directory ?? options.directory
        account = named
        return
      }
      switch try accounts.current() {
      case .unsaid: (directory, account) = (options.directory, nil)
      case .account(let signedIn):
        (directory, account) = (try accounts.directory(of: signedIn), signedIn)
      case .nobody: (directory, account) = ("", nil)
      }
    } catch {
      throw Failure(error)
    }
    guard !directory.isEmpty else {
      throw Failure(
        .refused,
        "nobody is signed in on this device; `commute account list` shows who could be,"
          + " and `commute account use` signs in")
    }
  }

  /// The database file.
  var database: String { "\(directory)/commute.db" }

  /// A file that is there is not begun anew behind anybody's back.
  func requireLoss() throws(Failure) {
    let attributes = try? FileManager.default.attributesOfItem(atPath: database)
    guard let size = attributes?[.size] as? Int, size > 0 else { return }
    throw Failure(
      .refused, "\(database) is there; leave --new out, it is for a device whose file is lost")
  }
}
