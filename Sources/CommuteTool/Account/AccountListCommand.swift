import CommuteCore
import CommuteStore

/// `commute account list`.
struct AccountListCommand: Command {
  static let spec = CommandSpec.account("list", "shows the accounts that have a file here")

  private let options: AccountOptions

  init(_ arguments: Arguments) throws(UsageError) {
    options = try AccountOptions(arguments)
  }

  func run(_ output: Output) async throws(Failure) -> Report {
    let signedIn = try options.signedIn()
    let files: [AccountFile]
    do throws(StoreError) {
      files = try options.accounts.files()
    } catch {
      throw Failure(error)
    }
    var table = TextTable(["", "account", "not on the server yet", "last synced"], widthLimit: 60)
    table.rows = files.map { file in
      [
        file.account == signedIn ? "✓" : "·", file.account.owner, file.unsettled.text,
        file.lastSuccess.map(Moment.text) ?? "never",
      ]
    }
    let nobody = "nobody is signed in; `commute account use ACCOUNT` signs in"
    let lines = files.isEmpty ? ["no account has a file in \(options.directory)"] : table.withHeads
    return Report(
      lines + (signedIn == nil && !files.isEmpty ? ["", nobody] : []),
      [
        "signedIn": JSON(signedIn?.owner),
        "accounts": .list(
          files.map { file in
            [
              "account": .text(file.account.owner), "directory": .text(file.directory),
              "unsettled": file.unsettled.json,
              "lastSynced": JSON(file.lastSuccess.map(Moment.text)),
            ]
          }),
      ])
  }
}
