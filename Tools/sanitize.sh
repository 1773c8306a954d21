#!/usr/bin/env bash
# Runs the tests of everything that threads share under the thread sanitizer, and eight readers
# beside a writer for about a minute.
set -uo pipefail
cd "$(dirname "$0")/.."
build=${BUILD:-.build}/sanitize
reports=$build/races
mkdir -p "$build"
rm -f "$reports".*
swift build --sanitize thread --scratch-path "$build" --build-tests || exit 1
export TSAN_OPTIONS="halt_on_error=0 exitcode=66 log_path=$PWD/$reports"
log=$build/sanitize.log
run() {
  swift test --sanitize thread --scratch-path "$build" --skip-build "$@" 2>&1 | tee -a "$log"
}
: > "$log"
status=0
run --filter 'Commute(SQLite|Store|Sync|HTTP|Server)Tests' \
  --no-parallel --skip 'OracleTests|HistoryTests|ConditionTests|LiveListTests' || status=1
COMMITS=${COMMITS:-1000} run --filter ReadersTests || status=1
races=$(cat "$reports".* 2> /dev/null | grep -c 'WARNING: ThreadSanitizer')
tests=$(awk '/Test run with [0-9]+ test/ { match($0, /with [0-9]+/); sum += substr($0, RSTART + 5) }
  END { print sum + 0 }' "$log")
if [ "$status" -ne 0 ] || [ "$races" -gt 0 ]; then
  echo "sanitize: $tests tests, $races races; see $reports.* and $log" >&2
  exit 1
fi
echo "sanitize: $tests tests, 0 races"
