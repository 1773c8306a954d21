#!/bin/sh
# Builds programs of ours in release mode and prints where the last one lies.
#
# usage: Tools/program.sh [--planted] NAME...
#
# With --planted it is a second build of the same sources, with PLANTED defined: defences can be
# turned off in it. Nothing that is shipped is built that way.
set -eu
cd "$(dirname "$0")/.."
scratch=${BUILD:-.build}
options=""
if [ "$1" = --planted ]; then
  shift
  scratch=$scratch/planted
  options="-Xswiftc -DPLANTED"
fi
for name in "$@"; do
  if ! grep -q "name: \"$name\"" Package.swift; then
    echo "$name: Package.swift names no such program yet" >&2
    exit 1
  fi
done
for name in "$@"; do
  # shellcheck disable=SC2086
  swift build --scratch-path "$scratch" -c release $options --product "$name" >&2
done
echo "$scratch/release/$name"
