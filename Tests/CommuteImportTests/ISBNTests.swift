import Testing

@testable import CommuteImport

@Suite struct ISBNTests {
  private func read(_ text: String) -> Result<String, ISBN.Problem> {
    do throws(ISBN.Problem) {
      return .success(try ISBN(Array(text.utf8)[...]).text)
    } catch {
      return .failure(error)
    }
  }

  @Test func `thirteen digits are taken as they are`() {
    #expect(read("9780141439518") == .success("9780141439518"))
    #expect(read("9791034743049") == .success("9791034743049"))
  }

  @Test func `ten digits are widened to thirteen`() {
    #expect(read("0141439513") == .success("9780141439518"))
    #expect(read("080442957X") == .success("9780804429573"))
    #expect(read("080442957x") == .success("9780804429573"))
  }

  @Test func `hyphens and blanks are passed over`() {
    #expect(read(" 978-0-14-143951-8 ") == .success("9780141439518"))
    #expect(read("0 14 143951 3") == .success("9780141439518"))
  }

  @Test func `any single wrong digit and any two swapped neighbours are found in ten digits`() {
    let right = Array("0141439513".utf8)
    for index in right.indices {
      for digit in "0123456789".utf8 where digit != right[index] {
        var wrong = right
        wrong[index] = digit
        #expect(read(String(decoding: wrong, as: UTF8.self)) == .failure(.wrongCheckDigit))
      }
      guard index > 0, right[index] != right[index - 1] else { continue }
      var swapped = right
      swapped.swapAt(index, index - 1)
      #expect(read(String(decoding: swapped, as: UTF8.self)) == .failure(.wrongCheckDigit))
    }
  }

  @Test func `any single wrong digit is found in thirteen`() {
    let right = Array("9780141439518".utf8)
    for index in right.indices.dropFirst(3) {
      for digit in "0123456789".utf8 where digit != right[index] {
        var wrong = right
        wrong[index] = digit
        #expect(read(String(decoding: wrong, as: UTF8.self)) == .failure(.wrongCheckDigit))
      }
    }
  }

  @Test func `other lengths, letters and an X elsewhere are no ISBN`() {
    for text in [
      "", "1", "014143951", "01414395130", "97801414395188", "X141439513", "01414X9513",
      "978014143951X", "٠١٤١٤٣٩٥١٣", "0141439513 0", "-", "9.78014E+12",
    ] {
      #expect(read(text) == .failure(.notTenOrThirteenDigits), "\(text)")
    }
  }

  @Test func `a number for goods that are no books is no ISBN`() {
    #expect(read("4006381333931") == .failure(.notABook))
  }

  @Test func `the short form comes back from the long one where there is one`() throws {
    let penguin = try ISBN(Array("9780141439518".utf8)[...])
    let french = try ISBN(Array("9791034743049".utf8)[...])
    let withX = try ISBN(Array("080442957X".utf8)[...])
    #expect(penguin.tenDigits == "0141439513")
    #expect(french.tenDigits == nil)
    #expect(withX.tenDigits == "080442957X")
  }
}
