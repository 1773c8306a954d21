import CommuteCore
import CommuteTestKit
import Testing

@Suite struct FieldMapTests {
  @Test func `a map keeps what a dictionary keeps, in the order of the names' bytes`() {
    var random = SeededGenerator(seed: 1)
    var map = FieldMap<Int>()
    var twin: [Key: Int] = [:]
    for step in 0..<4_000 {
      let name = KeyTests.names[random.draw(KeyTests.names.count)]
      let value: Int? = random.draw(4) == 0 ? nil : step
      if let value, random.draw(2) == 0 { map.append(name, value) } else { map[name] = value }
      twin[name] = value
      #expect(map[name] == value)
      #expect(map.count == twin.count)
    }
    #expect(map.names == twin.keys.sorted())
    for (name, value) in twin { #expect(map[name] == value) }
    #expect(map == FieldMap(twin.map { ($0.key, $0.value) }))
  }

  @Test func `the place of a name is where it stands or would stand`() {
    let map: FieldMap<Int> = ["b": 1, "d": 2, "f": 3]
    for (name, index, found) in [
      ("a", 0, false), ("b", 0, true), ("c", 1, false), ("f", 2, true), ("g", 3, false),
    ] {
      let place = map.place(of: Key(name))
      #expect(place.index == index && place.found == found, "\(name)")
    }
  }

  @Test func `of two pairs with one name the later stays`() {
    #expect(FieldMap([("a", 1), ("b", 2), ("a", 3)]) == ["a": 3, "b": 2])
  }

  @Test func `values change in place and by a function`() {
    var map: FieldMap<Int> = ["a": 1, "b": 2]
    map[position: 1] = 5
    #expect(map["b"] == 5)
    #expect(map.mapValues { $0 * 2 } == ["a": 2, "b": 10])
  }
}
