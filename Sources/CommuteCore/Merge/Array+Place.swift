extension Array {
  /// Where an element of an id stands in an array sorted by ids, or would stand, and whether it
  /// does.
  func place<ID: Comparable>(of id: ID, by idOf: (Element) -> ID) -> (index: Int, found: Bool) {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if idOf(self[middle]) < id { low = middle + 1 } else { high = middle }
    }
    return (low, low < count && idOf(self[low]) == id)
  }
}
