/// One seed, played.
struct History {
  let seed: UInt64

  /// Every sixteenth history passes its messages as bytes.
  var usesCodec: Bool { seed % 16 == 0 }

  /// Every other history also plays the rules of fields.
  var playsRules: Bool { seed % 2 == 1 }

  /// Plays the history of the seed.
  func played(on stage: Stage, story: Story? = nil) -> World {
    play(Choices(seed: seed), on: stage, story: story)
  }

  /// Plays other choices in the circumstances of this seed.
  func play(_ choices: Choices, on stage: Stage, story: Story? = nil) -> World {
    var world = World(
      choices: choices, stage: stage, usesCodec: usesCodec, playsRules: playsRules, story: story)
    world.run()
    return world
  }
}
