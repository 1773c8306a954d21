import CommuteCore
import CommuteStore

/// `commute account sign-out`.
struct AccountSignOutCommand: Command {
  static let spec = CommandSpec.account(
    "sign-out", "signs an account out, and takes its file away if the server has all of it",
    details: [
      "Where something in the file is not on the server yet, it does nothing until you choose.",
      "An exported file is the commute.db of a device: put it into a folder, and use that.",
    ],
    [AccountOptions.account],
    options: [
      OptionSpec("keep", "keeps the file, but not where its token is, for the next sign-in"),
      OptionSpec("export", "FILE", "copies everything into a new file first"),
      OptionSpec("wipe", "takes the file away with all that is not on the server"),
    ])

  private let options: AccountOptions
  private let device: DeviceOptions
  private let farewell: DeviceAccounts.Farewell

  init(_ arguments: Arguments) throws(UsageError) {
    options = try AccountOptions(arguments)
    device = try DeviceOptions(arguments)
    let export = try arguments.path("export")
    let choices = [arguments.has("keep"), export != nil, arguments.has("wipe")]
    guard choices.count(where: { $0 }) <= 1 else {
      throw .other("--keep, --export and --wipe exclude each other; give one of them")
    }
    if arguments.has("keep") {
      farewell = .keep
    } else if arguments.has("wipe") {
      farewell = .wipe
    } else {
      farewell = export.map { .export(toFile: $0) } ?? .ifSettled
    }
  }

  func run(_ output: Output) async throws(Failure) -> Report {
    let signedIn = try options.signedIn()
    guard let account = options.account ?? signedIn else {
      throw Failure(.refused, "nobody is signed in on this device; name the account to sign out")
    }
    guard let file = try file(of: account) else {
      throw Failure(.refused, "\(account.owner) has no file here; `commute account list` shows all")
    }
    if farewell == .keep { try await forgetToken(in: file) }
    let work: UnsettledWork
    do throws(SignOutRefusal) {
      work = try options.accounts.signOut(account, farewell)
    } catch {
      throw Self.failure(error, account)
    }
    return Report(
      ["\(account.owner) is signed out; \(fate(work))"],
      [
        "signedOut": .text(account.owner), "unsettled": work.json,
        "fileIsKept": .boolean(farewell == .keep),
      ])
  }

  private func file(of account: Account) throws(Failure) -> AccountFile? {
    do throws(StoreError) {
      return try options.accounts.file(of: account)
    } catch {
      throw Failure(error)
    }
  }

  /// Whoever signs in again gives the token again.
  private func forgetToken(in file: AccountFile) async throws(Failure) {
    let place = DevicePlace(directory: file.directory, account: file.account)
    let open = try OpenDevice.open(device, at: place)
    let result: Result<Void, Failure>
    do throws(Failure) {
      result = .success(try await open.forgetToken())
    } catch {
      result = .failure(error)
    }
    await open.store.close()
    try result.get()
  }

  private func fate(_ work: UnsettledWork) -> String {
    switch farewell {
    case .keep: "its file stays" + (work.isEmpty ? "" : " with \(work.text)")
    case .export(let path): "all of it is in \(path), and nothing is left here"
    case .ifSettled: "the server has all of it, nothing is left here"
    case .wipe: work.isEmpty ? "nothing is left here" : "\(work.text) went with its file"
    }
  }

  private static func failure(_ refusal: SignOutRefusal, _ account: Account) -> Failure {
    switch refusal {
    case .unsettled(let work):
      Failure(
        .refused,
        "\(account.owner) has work that is not on the server yet (\(work.text)); sync"
          + " first, or choose --keep, --export FILE or --wipe",
        json: ["error": "unsettled", "unsettled": work.json])
    case .inUse: Failure(.refused, refusal.message)
    case .store(let error): Failure(error)
    }
  }
}
