#!/usr/bin/env python3
"""Plants one small mistake after another in CommuteCore and sees whether its tests notice.

A copy of the sources gets all mistakes at once, each asleep: a comparison becomes an operator of
its own, a constant a call, and both behave as written unless the environment names their number.
So the copy is compiled once, and each mistake costs one run of the tests.

    Tools/mutate.py FOLDER FILE...   FOLDER takes the copy; FILEs are below Sources/CommuteCore
    -j N                             runs at a time (default 2)
    --plain                          only makes the copy, with no mistake in it
"""
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys

SUFFIX = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
# Characters that Swift takes as operators, one for each comparison.
SIGNS = [chr(c) for first, last in ((0x2190, 0x2300), (0x2500, 0x25A0), (0x2900, 0x2B00))
         for c in range(first, last)]
COMPARISON = re.compile(r" (==|!=|<=|>=|<|>) ")
CONSTANT = re.compile(r"(?<![\w.#])(0x[0-9A-Fa-f_]+|\d[\d_]*)(?![\w.])|\b(true|false)\b")
# Lines on which a number or a comparison is no expression.
NO_EXPRESSION = re.compile(
    r"^\s*(//|#|@available|case |default|import |infix |extension |public extension |.*\bfunc [<>=!])")


class Mutant:
    def __init__(self, number, path, line, column, text):
        self.number, self.path, self.line, self.column = number, path, line, column
        self.text = text

    def where(self):
        return f"{self.path}:{self.line}: {self.text}"


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
                found.append((number, match.start(), match.group(0), kind is COMPARISON))
    return found


def mutate(source, target, files, dropped):
    """Writes the copies; returns the mutants."""
    mutants, signs = [], []
    for path in files:
        with open(os.path.join(source, path)) as file:
            lines = file.read().split("\n")
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
            mutants.append(Mutant(key, path, number, column, told))
        with open(os.path.join(target, path), "w") as file:
            file.write("\n".join(lines))
    with open(os.path.join(target, "Mutants.swift"), "w") as file:
        file.write(support(signs))
    return mutants


def support(signs):
    text = ["import Glibc", "",
            "public let activeMutant = getenv(\"MUTANT\").flatMap { Int(String(cString: $0)) } ?? -1",
            "public func mutatedFlag(_ key: Int, _ flag: Bool) -> Bool {",
            "  activeMutant == key ? !flag : flag", "}",
            "public func mutatedNumber<N: ExpressibleByIntegerLiteral & AdditiveArithmetic>(",
            "  _ key: Int, _ number: N) -> N { activeMutant == key ? number + 1 : number }"]
    for sign, comparison, key in signs:
        bound = "Equatable" if comparison in ("==", "!=") else "Comparable"
        text += [f"infix operator {sign}: ComparisonPrecedence",
                 f"public func {sign}<T: {bound}>(left: T, right: T) -> Bool {{",
                 f"  activeMutant == {key} ? left {SUFFIX[comparison]} right"
                 f" : left {comparison} right", "}"]
        if bound == "Equatable":
            text += [f"public func {sign}<T>(left: T?, right: _OptionalNilComparisonType) -> Bool {{",
                     f"  activeMutant == {key} ? left {SUFFIX[comparison]} right"
                     f" : left {comparison} right", "}"]
    return "\n".join(text) + "\n"


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
    .executableTarget(
      name: "CommuteSimulator", dependencies: ["CommuteCore", "CommuteTestKit"],
      swiftSettings: house),
    .target(
      name: "CommuteVectors", dependencies: ["CommuteCore"], path: "Tests/Vectors",
      swiftSettings: house),
    .testTarget(
      name: "CommuteCoreTests", dependencies: ["CommuteCore", "CommuteTestKit", "CommuteVectors"],
      swiftSettings: house),
  ], swiftLanguageModes: [.v6])
"""


def lay_out(folder):
    """A package of what is tested, its tests, and the simulator."""
    os.makedirs(folder, exist_ok=True)
    for part in ("Sources/CommuteCore", "Sources/CommuteTestKit", "Sources/CommuteSimulator",
                 "Tests/CommuteCoreTests", "Tests/Vectors", "Documentation"):
        shutil.rmtree(os.path.join(folder, part), ignore_errors=True)
        shutil.copytree(part, os.path.join(folder, part))
    with open(os.path.join(folder, "Package.swift"), "w") as file:
        file.write(MANIFEST)


def compile_all(folder, files):
    """Compiles, leaving out what does not; returns the mutants and how many lines were left out."""
    core = os.path.join(folder, "Sources/CommuteCore")
    dropped = set()
    for _ in range(12):
        mutants = mutate("Sources/CommuteCore", core, files, dropped)
        run = subprocess.run(
            ["swift", "build", "--package-path", folder, "--build-tests", "-c", "release",
             "-Xswiftc", "-enable-testing"],
            capture_output=True, text=True)
        if run.returncode == 0:
            return mutants, len(dropped)
        found = set()
        for path, line in re.findall(r"Sources/CommuteCore/(\S+?):(\d+):\d+: error:", run.stdout + run.stderr):
            line = int(line)
            near = [m.line for m in mutants if m.path == path and abs(m.line - line) <= 6]
            if near:
                found.add((path, min(near, key=lambda other: abs(other - line))))
        if not found - dropped:
            sys.exit("mutate: the copy does not compile:\n"
                     + "\n".join(re.findall(r".*error:.*", run.stdout + run.stderr)[:10]))
        dropped |= found
    sys.exit("mutate: the copy still does not compile after twelve tries")


def tests_of(folder):
    for name in os.listdir(os.path.join(folder, ".build/release")):
        if name.endswith(".xctest"):
            return os.path.abspath(os.path.join(folder, ".build/release", name))
    sys.exit("mutate: no tests were built")


def is_killed(commands, folder, number):
    environment = dict(os.environ, MUTANT=str(number))
    for command, seconds in commands:
        try:
            run = subprocess.run(
                command, cwd=folder, env=environment, stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL, timeout=seconds)
        except subprocess.TimeoutExpired:
            return True
        if run.returncode != 0:
            return True
    return False


def main():
    arguments = sys.argv[1:]
    workers = 2
    if "-j" in arguments:
        at = arguments.index("-j")
        workers = int(arguments[at + 1])
        del arguments[at:at + 2]
    plain = "--plain" in arguments
    if plain:
        arguments.remove("--plain")
    folder, files = arguments[0], arguments[1:]
    lay_out(folder)
    if plain:
        return
    mutants, dropped = compile_all(folder, files)
    commands = [
        ([tests_of(folder), "--testing-library", "swift-testing", "--skip", "Python"], 120),
        ([os.path.abspath(os.path.join(folder, ".build/release/CommuteSimulator")),
          "--histories", "300", "--seed", "1"], 240),
    ]
    if is_killed(commands, folder, -1):
        sys.exit("mutate: the tests fail with no mistake awake; run `make test` first")
    survivors, done = [], 0
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        runs = {pool.submit(is_killed, commands, folder, m.number): m for m in mutants}
        for run in concurrent.futures.as_completed(runs):
            done += 1
            if not run.result():
                survivors.append(runs[run])
            if sys.stderr.isatty():
                sys.stderr.write(f"\r{done} of {len(mutants)}, {len(survivors)} alive")
    for mutant in sorted(survivors, key=lambda m: (m.path, m.line)):
        print("alive:", mutant.where())
    if dropped:
        print(f"mutate: {dropped} lines were left out: no expression of that kind stands there")
    print(f"{len(mutants) - len(survivors)} of {len(mutants)} mutants killed")


main()
