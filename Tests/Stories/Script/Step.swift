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
  /// Days pass, on all clocks alike, the server's too.
  case passDays(Int64)
  /// The server's owner cares for its database.
  case care(ServerCare)
  /// A device must hold the notes that came to nothing, and a person lets them go.
  case letGo(DeviceName, notes: [String])
  /// A device's clock falls back by this much.
  case slip(DeviceName, hours: Int64)
  /// A device's clock jumps ahead by this much.
  case leap(DeviceName, days: Int64)
  /// A device's clock begins again at the first moment of 1970.
  case fallTo1970(DeviceName)
  /// The files of the first device are copied to the second, which had none, and both go on.
  case clone(DeviceName, to: DeviceName)
  /// Somebody else signs in on a device.
  case signIn(DeviceName, Person)
  /// What a device must show at this moment, read from its file.
  case look(DeviceName, [Book])
}
