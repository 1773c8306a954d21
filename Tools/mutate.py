#!/usr/bin/env python3
"""Plants one small mistake after another in CommuteCore and sees whether its tests notice.

A copy of the sources gets all mistakes at once, each asleep: a comparison becomes an operator of
its own, a constant a call, and both behave as written unless the environment names their number.
So the copy is compiled once, with counters, and each mistake costs one run of the tests, which is
ended at the first test that fails. Only suites that come by the place are run, for no other can
notice; those of the same folder come first, the few long ones last. Processor time is limited, not
time: a busy machine kills no mutant.

An ordering is not mistaken where both sides are told to differ right before it, as in
`a != b ? a < b : …`: of two that differ `<` and `<=` say the same, so there is no mistake to notice.

    Tools/mutate.py build FOLDER FILE...   FOLDER takes the copy; FILEs are below Sources/CommuteCore
    Tools/mutate.py run FOLDER             wakes the mistakes of a built copy one after another
    -j N                                   runs at a time (default 2)
    --only A,B                             only the mistakes with these numbers
"""
import concurrent.futures
import json
import os
import re
import resource
import subprocess
import sys

SUFFIX = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
# Characters that Swift takes as operators, one for each comparison.
SIGNS = [chr(c) for first, last in ((0x2190, 0x2300), (0x2500, 0x25A0), (0x2900, 0x2B00))
         for c in range(first, last)]
COMPARISON = re.compile(r" (==|!=|<=|>=|<|>) ")
CONSTANT = re.compile(
    r"(?<![\w#$])(?<![^.]\.)(0x[0-9A-Fa-f_]+|\d[\d_]*)(?!\w|\.\d)|\b(true|false)\b")
OPERAND = r"[\w.$\[\]]+"
# Lines on which a number or a comparison is no expression.
NO_EXPRESSION = re.compile(
    r"^\s*(//|#|@available|import |infix |extension |public extension |.*\bfunc [<>=!])")


def spans_of_text(line):
    """Where text literals and comments stand in a line."""
    spans, start, at = [], None, 0
    while at < len(line):
        if start is None and line.startswith("//", at):
            spans.append((at, len(line)))
            return spans
        if line[at] == "\\" and start is not None:
            at += 2
            continue
        if line[at] == '"':
            if start is None:
                start = at
            else:
                spans.append((start, at + 1))
                start = None
        at += 1
    if start is not None:
        spans.append((start, len(line)))
    return spans


def are_apart(lines, number, match):
    """Whether both sides of an ordering differ wherever it is asked.

    That says the condition right before it, in the same line or the line above, or the beginning of
    the chain that it goes on with.
    """
    line = lines[number - 1]
    left = re.search(rf"{OPERAND}$", line[:match.start()])
    right = re.match(rf"{OPERAND}(?![\w(])", line[match.end():])
    if match.group(1) in ("==", "!=") or not left or not right:
        return False
    before = line[:left.start()]
    if before.strip() == "return":
        condition = re.fullmatch(rf"if ({OPERAND}) != ({OPERAND}) {{", lines[number - 2].strip())
    elif before.strip() == "} else if":
        indentation = before[:before.index("}")]
        first = next(above for above in reversed(lines[:number - 1])
                     if above.startswith(indentation) and above[len(indentation)] not in " }")
        condition = re.fullmatch(rf"if ({OPERAND}) == ({OPERAND}) {{", first.strip())
    else:
        condition = re.search(rf"(?<!\))({OPERAND}) != ({OPERAND}) (?:\?|{{ return) $", before)
    return bool(condition) and set(condition.groups()) == {left.group(), right.group()}


def find(path, lines, dropped):
    """The places of a file at which something can be mistaken."""
    found, planted, quoted = [], 0, False
    for number, line in enumerate(lines, 1):
        stripped = line.strip()
        if stripped.startswith("#if"):
            planted = planted + 1 if planted or "PLANTED" in stripped else planted
        elif stripped.startswith("#endif") and planted:
            planted -= 1
        if stripped.count('"""') == 1:
            quoted = not quoted
        if planted or quoted or NO_EXPRESSION.match(line) or (path, number) in dropped:
            continue
        texts = spans_of_text(line)
        for kind in (COMPARISON, CONSTANT):
            for match in kind.finditer(line):
                if any(a <= match.start() + 1 < b for a, b in texts):
                    continue
                if kind is COMPARISON and are_apart(lines, number, match):
                    continue
                found.append((number, match.start(), match.group(0), kind is COMPARISON))
    return found


def mutate(contents, files, dropped):
    """Puts all mistakes into the files of a package; returns the mutants."""
    mutants, signs = [], []
    for path in files:
        place = os.path.join("Sources/CommuteCore", path)
        lines = contents[place].decode().split("\n")
        for number, column, text, compares in sorted(
                find(path, lines, dropped), key=lambda place: (place[0], -place[1])):
            line = lines[number - 1]
            key = len(mutants)
            if compares:
                if len(signs) == len(SIGNS):
                    continue
                sign = SIGNS[len(signs)]
                signs.append((sign, text.strip(), key))
                new, told = f" {sign} ", f"{text.strip()} → {SUFFIX[text.strip()]}"
            elif text in ("true", "false"):
                new, told = f"mutatedFlag({key}, {text})", f"{text} turned"
            else:
                new, told = f"mutatedNumber({key}, {text})", f"{text} → {text} + 1"
            lines[number - 1] = line[:column] + new + line[column + len(text):]
            mutants.append({"number": key, "path": path, "line": number, "text": told})
        contents[place] = "\n".join(lines).encode()
    contents["Sources/CommuteCore/Mutants.swift"] = support(signs).encode()
    return mutants


# More mistakes than there are, and the number under which all sleep and are noted.
MOST, NOTING = 1 << 16, -2


def support(signs):
    text = ["import Glibc", "",
            "public let activeMutant = getenv(\"MUTANT\").flatMap { Int(String(cString: $0)) } ?? -1",
            "// Which mistakes a run came by, written down when it ends.",
            "nonisolated(unsafe) private let met: UnsafeMutablePointer<UInt8> = {",
            "  atexit {",
            "    guard let path = getenv(\"MUTANTS_MET\"),"
            " let file = fopen(path, \"w\") else { return }",
            f"    fwrite(met, 1, {MOST}, file)", "    fclose(file)", "  }",
            f"  let flags = UnsafeMutablePointer<UInt8>.allocate(capacity: {MOST})",
            f"  flags.initialize(repeating: 0, count: {MOST})", "  return flags", "}()",
            "public func isAwake(_ key: Int) -> Bool {",
            f"  if activeMutant == {NOTING} {{ met[key] = 1 }}",
            "  return activeMutant == key", "}",
            "public func mutatedFlag(_ key: Int, _ flag: Bool) -> Bool"
            " { isAwake(key) ? !flag : flag }",
            "public func mutatedNumber<N: ExpressibleByIntegerLiteral & AdditiveArithmetic>(",
            "  _ key: Int, _ number: N) -> N { isAwake(key) ? number + 1 : number }"]
    for sign, comparison, key in signs:
        bound = "Equatable" if comparison in ("==", "!=") else "Comparable"
        text += [f"infix operator {sign}: ComparisonPrecedence",
                 f"public func {sign}<T: {bound}>(left: T, right: T) -> Bool {{",
                 f"  isAwake({key}) ? left {SUFFIX[comparison]} right"
                 f" : left {comparison} right", "}"]
        if bound == "Equatable":
            text += [f"public func {sign}<T>(left: T?, right: _OptionalNilComparisonType) -> Bool {{",
                     f"  isAwake({key}) ? left {SUFFIX[comparison]} right"
                     f" : left {comparison} right", "}"]
    return "\n".join(text) + "\n"


# The tests themselves are not made fast: compiling them would cost more than it saves.
MANIFEST = """// swift-tools-version: 6.3
import PackageDescription
let house: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]
let package = Package(
  name: "mutants",
  targets: [
    .target(name: "CommuteCore", swiftSettings: house),
    .target(name: "CommuteTestKit", dependencies: ["CommuteCore"], swiftSettings: house),
    .target(
      name: "CommuteVectors", dependencies: ["CommuteCore"], path: "Tests/Vectors",
      swiftSettings: house),
    .testTarget(
      name: "CommuteCoreTests", dependencies: ["CommuteCore", "CommuteTestKit", "CommuteVectors"],
      swiftSettings: house + [.unsafeFlags(["-Onone", "-no-whole-module-optimization"])]),
  ], swiftLanguageModes: [.v6])
"""
PARTS = ("Sources/CommuteCore", "Sources/CommuteTestKit", "Tests/CommuteCoreTests",
         "Tests/Vectors", "Documentation")


def read_all():
    """A package of what is tested and its tests: the files by their paths."""
    contents = {"Package.swift": MANIFEST.encode()}
    for part in PARTS:
        for where, _, names in os.walk(part):
            for name in names:
                with open(os.path.join(where, name), "rb") as file:
                    contents[os.path.join(where, name)] = file.read()
    return contents


def lay_out(folder, contents):
    """Writes a package; what is already there and the same stays, and is not compiled again."""
    for part in PARTS:
        for where, _, names in os.walk(os.path.join(folder, part)):
            for name in names:
                path = os.path.join(where, name)
                if os.path.relpath(path, folder) not in contents:
                    os.remove(path)
    for path, wanted in contents.items():
        path = os.path.join(folder, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if os.path.exists(path):
            with open(path, "rb") as file:
                if file.read() == wanted:
                    continue
        with open(path, "wb") as file:
            file.write(wanted)


def compile_all(folder, files):
    """Compiles, leaving out what does not; returns the mutants and the lines that were left out."""
    dropped = set()
    while True:
        contents = read_all()
        mutants = mutate(contents, files, dropped)
        lay_out(folder, contents)
        run = subprocess.run(
            ["swift", "build", "--package-path", folder, "--build-tests", "-j", "2", "-c", "release",
             "--enable-code-coverage", "-Xswiftc", "-enable-testing"],
            capture_output=True, text=True)
        if run.returncode == 0:
            return mutants, dropped
        found = set()
        for path, line in re.findall(
                r"Sources/CommuteCore/(\S+?):(\d+):\d+: error:", run.stdout + run.stderr):
            near = [m["line"] for m in mutants
                    if m["path"] == path and abs(m["line"] - int(line)) <= 6]
            if near:
                found.add((path, min(near, key=lambda other: abs(other - int(line)))))
        if not found - dropped:
            sys.exit("mutate: the copy or its tests do not compile:\n" + errors_of(run))
        dropped |= found


def errors_of(run):
    return "\n".join(re.findall(r".*error:.*", run.stdout + run.stderr)[:20])


def tests_of(folder):
    for name in os.listdir(os.path.join(folder, ".build/release")):
        if name.endswith(".xctest"):
            return os.path.abspath(os.path.join(folder, ".build/release", name))
    sys.exit("mutate: no tests were built")


def is_killed(commands, folder, number):
    """Whether any of the commands fails; each is ended at the first test that does."""
    environment = dict(os.environ, MUTANT=str(number), SWIFT_BACKTRACE="enable=no",
                       LLVM_PROFILE_FILE="/dev/null")
    for command, seconds in commands:
        with subprocess.Popen(
                command, cwd=folder, env=environment, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, preexec_fn=lambda: resource.setrlimit(
                    resource.RLIMIT_CPU, (seconds, seconds))) as run:
            for line in run.stdout:
                if "✘".encode() in line:
                    run.kill()
                    return True
            if run.wait() != 0:
                return True
    return False


LONG = ("FuzzTests", "MergeLawTests")


def suites_of(folder):
    """The suites of tests and the folder in which each is."""
    suites = {}
    place = os.path.join(folder, "Tests/CommuteCoreTests")
    for where, _, names in os.walk(place):
        for name in names:
            with open(os.path.join(where, name)) as file:
                for suite in re.findall(r"@Suite(?:\(.*\))? struct (\w+)", file.read()):
                    suites[suite] = os.path.relpath(where, place)
    return suites


def command(folder, suites):
    """The run of some suites, but for what only starts another program."""
    return [tests_of(folder), "--testing-library", "swift-testing", "--filter",
            r"CommuteCoreTests\.(" + "|".join(sorted(suites)) + ")/", "--skip", "Python"]


def places_met(folder, suite):
    """The numbers of the mistakes that a suite comes by while all sleep."""
    path = os.path.abspath(os.path.join(folder, f"met-{suite}"))
    environment = dict(os.environ, MUTANT=str(NOTING), MUTANTS_MET=path,
                       LLVM_PROFILE_FILE="/dev/null")
    run = subprocess.run(command(folder, [suite]), cwd=folder, env=environment,
                         capture_output=True)
    if run.returncode != 0:
        sys.exit("mutate: the tests fail with no mistake awake; run `make test` first")
    if not os.path.exists(path):
        return set()
    with open(path, "rb") as file:
        met = {number for number, flag in enumerate(file.read()) if flag}
    os.remove(path)
    return met


def steps(folder, mutant, suites, met):
    """The runs of the tests for a mistake, and their processor seconds."""
    topic = mutant["path"].split("/")[0]
    there = [suite for suite in suites if mutant["number"] in met[suite]]
    parts = [([s for s in there if s not in LONG and suites[s] == topic], 60),
             ([s for s in there if s not in LONG and suites[s] != topic], 60),
             ([s for s in there if s in LONG], 120)]
    return [(command(folder, part), seconds) for part, seconds in parts if part]


def wake(folder, mutants, dropped, workers):
    """Runs the tests with each mistake awake; prints those that nobody noticed."""
    suites = suites_of(folder)
    survivors, done = [], 0
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        met = dict(zip(suites, pool.map(lambda suite: places_met(folder, suite), suites)))
        runs = {
            pool.submit(is_killed, steps(folder, m, suites, met), folder, m["number"]): m
            for m in mutants}
        for run in concurrent.futures.as_completed(runs):
            done += 1
            if not run.result():
                survivors.append(runs[run])
                print("alive: {path}:{line}: {text} (number {number})".format(**runs[run]),
                      flush=True)
            if sys.stderr.isatty():
                sys.stderr.write(f"\r{done} of {len(mutants)}, {len(survivors)} alive")
    for path, line in dropped:
        print(f"left out: {path}:{line}: what stands there is part of no expression")
    print(f"{len(mutants) - len(survivors)} of {len(mutants)} mutants killed")


def option(arguments, name):
    """Takes an option and its value out of the arguments."""
    if name not in arguments:
        return None
    at = arguments.index(name)
    value = arguments[at + 1]
    del arguments[at:at + 2]
    return value


def main():
    arguments = sys.argv[1:]
    workers = int(option(arguments, "-j") or 2)
    only = option(arguments, "--only")
    step, folder, files = arguments[0], arguments[1], arguments[2:]
    listed = os.path.join(folder, "mutants.json")
    if step == "build":
        mutants, dropped = compile_all(folder, files)
        with open(listed, "w") as file:
            json.dump({"mutants": mutants, "dropped": sorted(dropped)}, file)
        return
    with open(listed) as file:
        built = json.load(file)
    mutants = built["mutants"]
    if only:
        numbers = {int(number) for number in only.split(",")}
        mutants = [mutant for mutant in mutants if mutant["number"] in numbers]
    wake(folder, mutants, built["dropped"], workers)


main()
