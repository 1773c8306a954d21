"""The merge of three texts, as section 9 of Documentation/Protocol.md tells it step by step."""
from golden import protocol
from golden.strict import quoted, read

SPACE = " \t\n\r"
GREATEST = 1 << 20


def words(text):
    pieces, kind = [], None
    for character in text:
        if "\u3000" <= character <= "\u9fff":
            pieces.append(character)
            kind = None
            continue
        if kind == (character in SPACE):
            pieces[-1] += character
        else:
            pieces.append(character)
            kind = character in SPACE
    return pieces


def lines(text):
    *ended, last = text.split("\n")
    return [line + "\n" for line in ended] + ([last] if last else [])


def changes(base, side):
    """Which places of the base became what; None where comparing is too large."""
    head = 0
    while head < min(len(base), len(side)) and base[head] == side[head]:
        head += 1
    tail = 0
    while tail < min(len(base), len(side)) - head and base[-1 - tail] == side[-1 - tail]:
        tail += 1
    rest, new = base[head:len(base) - tail], side[head:len(side) - tail]
    if not rest and not new:
        return []
    if not rest or not new:
        return [(head, head + len(rest), new)]
    if len(rest) * len(new) > GREATEST:
        return None
    common = [[0] * (len(new) + 1) for _ in range(len(rest) + 1)]
    for row in reversed(range(len(rest))):
        for column in reversed(range(len(new))):
            common[row][column] = (
                common[row + 1][column + 1] + 1 if rest[row] == new[column]
                else max(common[row + 1][column], common[row][column + 1]))
    result, row, column, is_open = [], 0, 0, False
    while row < len(rest) or column < len(new):
        if row < len(rest) and column < len(new) and rest[row] == new[column]:
            row, column, is_open = row + 1, column + 1, False
            continue
        if not is_open:
            result.append([head + row, head + row, []])
            is_open = True
        if row < len(rest) and (
                column == len(new) or common[row + 1][column] >= common[row][column + 1]):
            row += 1
            result[-1][1] += 1
        else:
            result[-1][2].append(new[column])
            column += 1
    return [tuple(change) for change in result]


def belongs(place, change):
    """Whether a change belongs to the place of those before it."""
    start, end = place
    if start == end:
        return change[0] == change[1] == start
    if change[0] == change[1]:
        return start < change[0] < end
    return change[0] < end


def version(base, place, made):
    """What one side made of a place."""
    result, at = "", place[0]
    for start, end, pieces in made:
        result += "".join(base[at:start]) + "".join(pieces)
        at = end
    return result + "".join(base[at:place[1]])


def both(first, second, separator):
    if not first or not second or first[-1] in SPACE or second[0] in SPACE:
        return first + second
    return first + separator + second


def join(base, first, second, separator):
    """The text that two sides' changes of one base come to."""
    queue = sorted([(change[0], change[1], side, change)
                    for side, made in enumerate((first, second)) for change in made],
                   key=lambda entry: entry[:3])
    text, at, is_conflict = "", 0, False
    while queue:
        start, end, side, change = queue.pop(0)
        made = [[], []]
        made[side].append(change)
        while True:
            following = next((entry for entry in queue if belongs((start, end), entry[3])), None)
            if not following:
                break
            queue.remove(following)
            end = max(end, following[1])
            made[following[2]].append(following[3])
        text += "".join(base[at:start])
        at = end
        one, two = (version(base, (start, end), part) for part in made)
        if not made[1] or one == two:
            text += one
        elif not made[0]:
            text += two
        else:
            is_conflict = True
            text += both(one, two, separator)
    return text + "".join(base[at:]), is_conflict


def merge(base, mine, theirs, mine_is_later):
    """The merged value and whether there is a conflict."""
    if mine[1] in (theirs[1], base[1]):
        return theirs, False
    if theirs[1] == base[1]:
        return mine, False
    last = mine if mine_is_later else theirs
    if any(value[1][0] not in (0, 4) for value in (base, mine, theirs)):
        return last, True
    old, one, two = (value[1][1:].decode() for value in (base, mine, theirs))
    if mine_is_later:
        one, two = two, one
    text, is_conflict = both(one, two, "\n"), True
    for pieces, separator in ((words, " "), (lines, "\n")):
        left, right = (changes(pieces(old), pieces(side)) for side in (one, two))
        if left is not None and right is not None:
            text, is_conflict = join(pieces(old), left, right, separator)
            break
    if len(text.encode()) > protocol.LIMITS["text"]:
        return last, True
    return protocol.value(read(quoted(text).encode())), is_conflict
