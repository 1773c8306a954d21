import CommuteCore
import CommuteStore

extension InboxConflict {
  /// What happened, as `Your note lost to a newer one from Kitchen tablet`.
  var sentence: String {
    let what = BookField.name(conflict.field.text)
    let whose = keptOn ?? conflict.keptBy ?? "another device"
    guard conflict.kept != nil else {
      return "Your \(what) was lost: the book was deleted on \(whose)"
    }
    switch conflict.rule.text {
    case "latest": return "Your \(what) lost to a newer one from \(whose)"
    case "serverWins": return "Your \(what) lost to one that was there first, from \(whose)"
    case "clientWins": return "Your \(what) lost to a later one from \(whose)"
    case "text":
      return "Your \(what) and one from \(whose) changed the same words; both are in it now"
    case "counter", "growOnlyCounter": return "Your \(what) may be counted twice"
    default: return "Your \(what) lost to one from \(whose)"
    }
  }

  /// Everything about it, for programs.
  func json(named name: String, title: String) -> JSON {
    [
      "entry": .text(name), "kind": "lost", "title": .text(title), "sentence": .text(sentence),
      "table": .text(conflict.record.table.text), "id": .text(conflict.record.id.text),
      "field": .text(conflict.field.text), "rule": .text(conflict.rule.text),
      "lost": conflict.lost.json, "lostBy": JSON(conflict.lostBy),
      "kept": conflict.kept?.json ?? .null, "keptBy": JSON(conflict.keptBy),
      "keptOn": JSON(keptOn), "at": .text(Moment.text(conflict.time)),
    ]
  }
}
