import CommuteCore
import CommuteStore

/// Which device the commands about accounts work on.
struct AccountOptions: Sendable {
  /// The options that say so.
  static let specs = [
    OptionSpec("device", "DIR", "the folder of the device")
  ]
  /// The word that names an account.
  static let account = ArgumentSpec(
    "ACCOUNT", isOptional: true, "tenant/user; the one signed in if left out")

  var directory: String
  /// The account that was named.
  var account: Account?

  init(_ arguments: Arguments) throws(UsageError) {
    directory = try arguments.path("device") ?? DataPlace.path("books")
    guard let word = arguments.word("ACCOUNT") else { return }
    guard let named = Account(owner: word) else {
      throw .other("ACCOUNT is tenant/user, as acme/ann, not \(word)")
    }
    account = named
  }

  /// The accounts of the device.
  var accounts: DeviceAccounts { DeviceAccounts(directory) }

  /// Who is signed in; nil for nobody, and for a device that is not there.
  func signedIn() throws(Failure) -> Account? {
    do throws(StoreError) {
      switch try accounts.current() {
      case .account(let account): return account
      case .nobody: return nil
      case .unsaid: return try accounts.files().first { $0.directory == directory }?.account
      }
    } catch {
      throw Failure(error)
    }
  }
}

extension CommandSpec {
  /// A command about accounts, with the options that all of them share.
  static func account(
    _ word: String, _ summary: String, details: [String] = [], _ arguments: [ArgumentSpec] = [],
    options: [OptionSpec] = []
  ) -> CommandSpec {
    CommandSpec(
      words: ["account", word], summary: summary, details: details, arguments: arguments,
      options: options + AccountOptions.specs)
  }
}

extension UnsettledWork {
  /// What is open, as `2 changes waiting, 1 refused`; nothing where all is settled.
  var text: String {
    var parts: [String] = []
    if waiting > 0 { parts.append("\(Plural.text(waiting, "change")) waiting") }
    if refused > 0 { parts.append("\(refused) refused") }
    if offers > 0 { parts.append("\(offers) to offer again") }
    return parts.joined(separator: ", ")
  }

  /// The same for programs.
  var json: JSON {
    ["waiting": JSON(waiting), "refused": JSON(refused), "offers": JSON(offers)]
  }
}
