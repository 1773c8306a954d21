/// Bytes that stay where they are until the statement has run, so that SQLite need not copy them.
///
/// One a statement, reused from run to run: binding a text then costs no allocation.
@safe @usableFromInline struct BindingArena: ~Copyable {
  /// Values longer than this are copied by SQLite instead, so that an arena stays small.
  @usableFromInline static let longestValue = 16_384

  @usableFromInline var block: UnsafeMutableRawPointer?
  @usableFromInline var used = 0
  @usableFromInline var capacity = 0
  /// Blocks that became too small and still hold bound values.
  private var full: [UnsafeMutableRawPointer] = unsafe []

  init() {}

  deinit {
    unsafe block?.deallocate()
    for unsafe block in unsafe full { unsafe block.deallocate() }
  }

  /// Forgets all values.
  mutating func removeAll() {
    used = 0
    guard unsafe !full.isEmpty else { return }
    for unsafe block in unsafe full { unsafe block.deallocate() }
    unsafe full.removeAll()
  }

  /// Room for at least one byte, at an address that stays.
  @inlinable mutating func reserve(_ count: Int) -> UnsafeMutableRawPointer {
    let count = max(count, 1)
    if let block = unsafe block, used + count <= capacity {
      defer { used += count }
      return unsafe block + used
    }
    return unsafe grow(count)
  }

  @usableFromInline mutating func grow(_ count: Int) -> UnsafeMutableRawPointer {
    if let block = unsafe block { unsafe full.append(block) }
    capacity = max(capacity * 2, 256, count)
    let fresh = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 8)
    unsafe block = unsafe fresh
    used = count
    return unsafe fresh
  }
}
