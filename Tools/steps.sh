# Runs steps one after another, times each, and ends with a table. Sourced by check.sh and test.sh.
#
#   step NAME COMMAND...    runs the command; the table repeats the last line that it printed, and
#                           what looks like a failure is repeated before the table
#   vital NAME COMMAND...   the same, but nothing is tried after it failed
#   later NAME COMMAND...   not built yet: says so in the table and runs nothing
#   finish NAME             prints the table; fails if a step did
logs=${BUILD:-.build}/logs
table=()
complaints=()
failures=0
SECONDS=0
mkdir -p "$logs"

row() {
  table+=("$(printf '%-14s %7s  %-7s %s' "$1" "$2" "$3" "$4")")
}

step() {
  local name=$1 log="$logs/${1// /-}.log" start result=ok
  shift
  start=$(date +%s%N)
  echo "── $name: $*"
  if ! "$@" 2>&1 | tee "$log"; then
    result=FAILED
    failures=$((failures + 1))
    complaints+=("$name:" "$(grep -E '✘|↳ [^T]|^  [A-Z][A-Za-z]*/|error: |FAILED' "$log" | head -n 30)")
  fi
  local tenths=$((($(date +%s%N) - start) / 100000000))
  row "$name" "$((tenths / 10)).$((tenths % 10))" "$result" \
    "$(sed 's/^[[:space:]]*//' "$log" | grep . | tail -n 1 | cut -c 1-120)"
  [ "$result" = ok ]
}

vital() {
  step "$@" || finish "$title"
}

later() {
  row "$1" - later "not built yet"
}

finish() {
  echo
  if [ "$failures" -gt 0 ]; then printf '%s\n' "${complaints[@]}" ""; fi
  printf '%-14s %7s  %-7s %s\n' step seconds result "last line"
  printf '%s\n' "${table[@]}"
  if [ "$failures" -gt 0 ]; then
    echo "$1: $failures failed, after $SECONDS seconds; all output is in $logs"
    exit 1
  fi
  echo "$1: ok, in $SECONDS seconds"
  exit 0
}
