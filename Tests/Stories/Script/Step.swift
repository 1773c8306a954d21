/// One thing that happens in a story; the same steps are told with both designs.
enum Step: Sendable {
  /// A person does something on a device.
  case edit(DeviceName, Edit)
  /// A device syncs, and the server answers.
  case sync(DeviceName)
  /// A device tries to sync, and no answer reaches it.
  case syncInVain(DeviceName)
  /// A device's network is switched off.
  case goOffline(DeviceName)
  /// A device's network is switched on again.
  case comeOnline(DeviceName)
  /// The next request of a device reaches the server, the answer does not reach the device.
  case loseNextAnswer(DeviceName)
  /// Time passes, on all clocks alike.
  case pass(seconds: Int64)
  /// A device's clock falls back by this much.
  case slip(DeviceName, hours: Int64)
  /// What a device must show at this moment, read from its file.
  case look(DeviceName, [Book])
}
