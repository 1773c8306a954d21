#!/usr/bin/env bash
# Builds what the long steps run, and runs the embedded check, side by side: each of them keeps one
# core busy most of the time. Ends with the closing line of the embedded check.
set -uo pipefail
cd "$(dirname "$0")/.."
logs=${BUILD:-.build}/logs
mkdir -p "$logs"

released="commute StoryRunner CrashRunner FaultRunner CommuteSimulator SQLiteSimulator TasksSoak
  TasksSimulator"
planted="CommuteSimulator SQLiteSimulator TasksSimulator"

# shellcheck disable=SC2086
Tools/program.sh $released >"$logs/release-build.log" 2>&1 &
first=$!
# shellcheck disable=SC2086
Tools/program.sh --planted $planted >"$logs/planted-build.log" 2>&1 &
second=$!
make -s embedded >"$logs/embedded-check.log" 2>&1 &
third=$!

failed=0
for job in "$first release-build" "$second planted-build" "$third embedded-check"; do
  if wait "${job%% *}"; then result=ok; else result=FAILED failed=1; fi
  echo "${job##* }: $result"
  [ "$result" = ok ] || cat "$logs/${job##* }.log"
done
tail -n 1 "$logs/embedded-check.log"
exit "$failed"
