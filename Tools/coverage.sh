#!/usr/bin/env bash
# How much of merge, clock, outbox and cursor code the tests of the core run, file by file, and how
# many small mistakes in it they notice (Tools/mutate.py). That code is all of the core but its
# values and the wire: what devices and server decide. The stores below carry it out.
#
#   MUTANTS=no   leaves the mistakes out
set -euo pipefail
cd "$(dirname "$0")/.."
work=${BUILD:-.build}/coverage
mapfile -t files < <(cd Sources/CommuteCore && ls {Clock,Merge,Session,Settling}/*.swift)

echo "coverage: building the core and its tests, with counters and sleeping mistakes" >&2
mkdir -p "$work"
Tools/mutate.py build "$work" "${files[@]}"
tests=$(ls -d "$work"/.build/release/*.xctest)
rm -f "$work"/*.profraw
(cd "$work" && LLVM_PROFILE_FILE=tests.profraw "$PWD/${tests#"$work"/}" \
  --testing-library swift-testing --skip Python) >"$work/tests.log" 2>&1 ||
  { grep -a '✘' "$work/tests.log" | head >&2; exit 1; }
# The toolchain's own: a system's may be older than the counters.
llvm=$(dirname "$(readlink -f "$(command -v swift)")")
"$llvm"/llvm-profdata merge -o "$work/all.profdata" "$work/tests.profraw"
"$llvm"/llvm-cov export -summary-only -instr-profile "$work/all.profdata" "$tests" \
  >"$work/summary.json"

killed="0 of 0 mutants killed"
if [ "${MUTANTS:-yes}" = yes ]; then
  echo "coverage: waking the mistakes, one run of the tests for each" >&2
  Tools/mutate.py run "$work" | tee "$work/mutants.log"
  killed=$(tail -n 1 "$work/mutants.log")
fi
python3 - "$work/summary.json" "$killed" "${files[@]}" <<'EOF'
import json, sys
summary, killed, files = sys.argv[1], sys.argv[2], sys.argv[3:]
found = {}
for data in json.load(open(summary))["data"]:
    for file in data["files"]:
        name = file["filename"].split("/Sources/CommuteCore/")
        if len(name) == 2 and name[1] in files:
            found[name[1]] = file["summary"]
total = {"regions": [0, 0], "lines": [0, 0]}
print(f"{'file':<44} regions   lines")
for name in sorted(found):
    shares = []
    for kind in total:
        count, covered = found[name][kind]["count"], found[name][kind]["covered"]
        total[kind][0] += count
        total[kind][1] += covered
        shares.append(100 * covered / count if count else 100)
    print(f"{name:<44} {shares[0]:7.1f} {shares[1]:7.1f}")
share = {kind: 100 * covered / max(count, 1) for kind, (count, covered) in total.items()}
print(f"coverage: {len(found)} files, {share['regions']:.1f} % regions, {share['lines']:.1f} % lines,"
      f" {killed}")
EOF
