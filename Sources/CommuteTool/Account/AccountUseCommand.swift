import CommuteCore
import CommuteStore
import CommuteSync
import Foundation

/// `commute account use ACCOUNT`.
struct AccountUseCommand: Command {
  static let spec = CommandSpec.account(
    "use", "signs an account in; every other one keeps its file",
    details: [
      "It needs no network. An account that was never here needs its token file, which says whose",
      "it is and is remembered; what was written without a sign-in becomes the first account's.",
    ],
    [AccountOptions.account],
    options: DeviceOptions.specs.filter { ["token-file", "server", "ca"].contains($0.name) })

  private let options: AccountOptions
  private let device: DeviceOptions

  init(_ arguments: Arguments) throws(UsageError) {
    options = try AccountOptions(arguments)
    device = try DeviceOptions(arguments)
    if options.account == nil, device.tokenFile == nil {
      throw .other("name an account, as acme/ann, or give its token: --token-file FILE")
    }
  }

  func run(_ output: Output) async throws(Failure) -> Report {
    let account = try wanted()
    let place = try place(of: account)
    var device = device
    // All files of a device call it by one name; one that is there has it already.
    let isThere = FileManager.default.fileExists(atPath: place.database)
    device.name = isThere ? nil : URL(filePath: options.directory).lastPathComponent
    let open = try OpenDevice.open(device, at: place)
    let result: Result<Int, Failure>
    do throws(Failure) {
      try await open.rememberWay()
      result = .success(try await StoredStatus.read(open).waiting)
    } catch {
      result = .failure(error)
    }
    await open.store.close()
    let waiting = try result.get()
    do throws(StoreError) { try options.accounts.signIn(account) } catch { throw Failure(error) }
    let rest = waiting == 0 ? "" : " · \(UnsettledWork(waiting: waiting).text)"
    return Report(
      ["\(account.owner) is signed in\(rest)"],
      [
        "signedIn": .text(account.owner), "waiting": JSON(waiting),
        "directory": .text(place.directory),
      ])
  }

  /// The account that word and token name together.
  private func wanted() throws(Failure) -> Account {
    let told = try device.tokenFile.map(TokenSource.init(path:))?.read().account
    guard let account = options.account ?? told else {
      throw Failure(
        .refused,
        "the token's file does not say whose it is; write `tenant user token` into it, or"
          + " name the account")
    }
    if let told, told != account {
      throw Failure(.refused, "the token is \(told.owner)'s, not \(account.owner)'s; name one")
    }
    return account
  }

  /// Where the account's file is, or is to be made for one that has a token.
  private func place(of account: Account) throws(Failure) -> DevicePlace {
    do throws(StoreError) {
      if let file = try options.accounts.file(of: account) {
        return DevicePlace(directory: file.directory, account: account)
      }
      if device.tokenFile != nil {
        return DevicePlace(
          directory: try options.accounts.directory(of: account), account: account)
      }
    } catch {
      throw Failure(error)
    }
    throw Failure(
      .refused, "\(account.owner) has no file here; give its token to make one: --token-file FILE")
  }
}
