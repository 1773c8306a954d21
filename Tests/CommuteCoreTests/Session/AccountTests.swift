import CommuteCore
import Testing

@Suite struct AccountTests {
  @Test func `an owner is read as it is written`() {
    let account = Account(tenant: "home", user: "ada")
    #expect(account.owner == "home/ada")
    #expect(Account(owner: account.owner) == account)
  }

  @Test func `the first slash parts tenant and user`() {
    #expect(Account(owner: "home/a/b") == Account(tenant: "home", user: "a/b"))
  }

  @Test(arguments: ["", "home", "/ada", "home/"])
  func `an owner without both parts is none`(text: String) {
    #expect(Account(owner: text) == nil)
  }

  @Test func `names that look alike are two accounts`() {
    let one = Account(tenant: "home", user: "jos\u{E9}")
    let other = Account(tenant: "home", user: "jose\u{301}")
    #expect(one != other)
    #expect(Set([one, other]).count == 2)
    #expect(one == Account(tenant: "home", user: "jos\u{E9}"))
  }
}
