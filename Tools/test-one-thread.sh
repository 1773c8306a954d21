#!/usr/bin/env bash
# Runs tests in a process whose pool of threads has one thread: whatever blocks a thread of the pool
# until another task has run waits for ever then, and is found by the time limit.
#
# usage: Tools/test-one-thread.sh [FILTER]
#
# First it proves that the pool has one thread, and more without the preloaded library.
set -euo pipefail
cd "$(dirname "$0")/.."
scratch=${BUILD:-.build}
work=$scratch/one-thread
filter=${1:-CommuteTasksTests|CommuteSyncTests|CommuteStoreTests}
mkdir -p "$work"

cc -O1 -fPIC -shared -Wall -Wextra -Werror -o "$work/processors.so" \
  Tests/OneThread/processors.c -ldl
swiftc -O -swift-version 6 -o "$work/proof" Tests/OneThread/main.swift
preload=$PWD/$work/processors.so
case $work in /*) preload=$work/processors.so ;; esac
many=$("$work/proof")
one=$(LD_PRELOAD=$preload "$work/proof")
echo "one-thread: the pool computes $many at a time here, and $one with the library"
if [ "$one" -ne 1 ]; then
  echo "one-thread: the library does not make the pool small; see Tests/OneThread" >&2
  exit 1
fi
if [ "$many" -lt 2 ]; then
  echo "one-thread: this machine has one processor, so the proof proves nothing" >&2
  exit 1
fi
swift build --scratch-path "$scratch" --build-tests > "$work/build.log" 2>&1 || {
  tail -n 20 "$work/build.log" >&2
  exit 1
}
bundle=$(find "$scratch"/*/debug -maxdepth 1 -name '*PackageTests.xctest' | head -n 1)
status=0
# One after another, so that the time limit of a test is its own.
LD_PRELOAD=$preload timeout 900 "$bundle" --testing-library swift-testing --no-parallel \
  --filter "$filter" > "$work/tests.log" 2>&1 || status=$?
grep -E '✘|↳ [^TP]' "$work/tests.log" | head -n 30 || true
if [ "$status" -eq 124 ]; then
  echo "one-thread: some test waits for ever; $work/tests.log says which has not ended" >&2
  exit 1
fi
tests=$(sed -n 's/.*Test run with \([0-9]*\) tests.*/\1/p' "$work/tests.log" | tail -n 1)
echo "one-thread: ${tests:-no} tests with a pool of one thread, exit code $status"
[ "$status" -eq 0 ] && [ -n "$tests" ]
