/// Bytes that stay where they are until the statement has run, so that SQLite need not copy them.
///
/// One a statement, reused from run to run: binding a text then costs no allocation.
@safe @usableFromInline final class BindingArena {
  /// Values longer than this are copied by SQLite instead, so that an arena stays small.
  @usableFromInline static let longestValue = 16_384

  @exclusivity(unchecked) @usableFromInline var block: UnsafeMutableRawPointer?
  @exclusivity(unchecked) @usableFromInline var used = 0
  @exclusivity(unchecked) @usableFromInline var capacity = 0
  /// Blocks that became too small and still hold bound values.
  private var full: [UnsafeMutableRawPointer] = unsafe []

  init() {}

  deinit {
    unsafe block?.deallocate()
    unsafe full.forEach { unsafe $0.deallocate() }
  }

  /// Forgets all values.
  @inlinable func removeAll() {
    if unsafe used > 0 { releaseFull() }
  }

  @usableFromInline func releaseFull() {
    unsafe used = 0
    guard unsafe !full.isEmpty else { return }
    unsafe full.forEach { unsafe $0.deallocate() }
    unsafe full.removeAll()
  }

  /// Room for at least one byte, at an address that stays.
  @inlinable func reserve(_ count: Int) -> UnsafeMutableRawPointer {
    let count = max(count, 1)
    let start = unsafe used
    guard let block = unsafe block, unsafe start + count <= capacity else {
      return unsafe grow(count)
    }
    unsafe used = start + count
    return unsafe block + start
  }

  @usableFromInline func grow(_ count: Int) -> UnsafeMutableRawPointer {
    if let block = unsafe block { unsafe full.append(block) }
    unsafe capacity = max(capacity * 2, 256, count)
    let fresh = unsafe UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 8)
    unsafe block = unsafe fresh
    unsafe used = count
    return unsafe fresh
  }
}
