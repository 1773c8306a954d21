#!/bin/sh
# Compiles the core as Embedded Swift for WebAssembly with nothing but the Swift toolchain, runs the
# golden vectors there and on this machine, and compares. Compiles again only what changed.
#
# Compiler flags have one home each: Tools/wasm.toolset.json for WebAssembly, Package.swift for the
# language features.
set -eu
cd "$(dirname "$0")/.."
work=${BUILD:-.build}/embedded
mkdir -p "$work"

flags() {
  python3 -c 'import json, sys
print(*json.load(open("Tools/wasm.toolset.json"))[sys.argv[1]]["extraCLIOptions"])' "$1"
}
features=$(sed -n 's/.*enableUpcomingFeature("\([A-Za-z]*\)").*/-enable-upcoming-feature \1/p' \
  Package.swift)
common="-wmo -parse-as-library -swift-version 6 -package-name commute -strict-memory-safety \
  -warnings-as-errors $features"
wasm="-target wasm32-unknown-none-wasm $(flags swiftCompiler) $common"
native="-Onone $common"
wasm_c="--target=wasm32-unknown-none-wasm -O2 -nostdlib -DSHIM_WASI $(flags cCompiler)"
toolchain=$(swiftc --version 2>&1)

# once NAME INPUTS... -- COMMAND...: runs the command unless it succeeded before with the same
# inputs, flags and compiler.
once() {
  name=$1
  shift
  inputs=""
  while [ "$1" != "--" ]; do
    inputs="$inputs $1"
    shift
  done
  shift
  # shellcheck disable=SC2086
  key=$( (echo "$toolchain" "$@"; cat $inputs) | sha256sum)
  if [ "$(cat "$work/$name.key" 2> /dev/null)" = "$key" ]; then return; fi
  rm -f "$work/$name.key"
  "$@"
  echo "$key" > "$work/$name.key"
}

# build PLATFORM FLAGS: the core as a module of its own, and the program that runs the vectors.
build() {
  platform=$1
  shift
  core="$work/$platform/CommuteCore"
  mkdir -p "$work/$platform"
  # shellcheck disable=SC2086
  once "core-$platform" $core_files -- swiftc "$@" -module-name CommuteCore \
    -emit-module -emit-module-path "$core.swiftmodule" -c -o "$core.o" $core_files
  # shellcheck disable=SC2086
  once "program-$platform" $core_files $program_files -- swiftc "$@" -module-name VectorProgram \
    -I "$work/$platform" -c -o "$work/$platform/VectorProgram.o" $program_files
}

expected=$(python3 Tools/embed-vectors.py Tests/Vectors "$work/EmbeddedVectors.swift")
core_files=$(find Sources/CommuteCore -name '*.swift' | LC_ALL=C sort)
program_files="$(find Tests/Vectors -name '*.swift' | LC_ALL=C sort)
  Tools/VectorProgram.swift $work/EmbeddedVectors.swift"

# shellcheck disable=SC2086
{
  build wasm $wasm
  build native $native
  for part in memory arithmetic host; do
    source=Sources/CommuteWasmShim/$part.c
    once "shim-$part" "$source" Sources/CommuteWasmShim/include/CommuteWasmShim.h -- \
      clang $wasm_c -Wall -Wextra -Werror -ISources/CommuteWasmShim/include \
      -c "$source" -o "$work/wasm/$part.o"
  done
  wasm-ld $(flags linker) -s "$work"/wasm/*.o -o "$work/vectors.wasm" || {
    echo "embedded: linking failed. Symbols of _swift_stdlib_ are missing where strings are compared,"
    echo "hashed, counted, or split as text: compare their UTF-8 bytes instead (Key does)."
    exit 1
  }
  swiftc "$work"/native/*.o -o "$work/vectors"
}

status=0
"$work/vectors" > "$work/native.txt" || status=1
wasmkit run "$work/vectors.wasm" > "$work/wasm.txt" || status=1
here=$(tail -n 1 "$work/native.txt")
there=$(tail -n 1 "$work/wasm.txt")
echo "on this machine:  $here"
echo "in WebAssembly:   $there"
if [ "$status" -ne 0 ]; then
  grep -hv '^vectors: ' "$work/native.txt" "$work/wasm.txt" | LC_ALL=C sort | uniq -c | head -n 50
  echo "embedded: some vectors failed (1: on one side only, 2: on both)"
  exit 1
fi
case $here in
  "vectors: $expected ran, "*) ;;
  *) echo "embedded: $expected vectors are in Tests/Vectors, but not all of them ran"; exit 1 ;;
esac
if [ "$here" != "$there" ]; then
  echo "embedded: WebAssembly does not give what this machine gives"
  exit 1
fi
size=$(wc -c < "$work/vectors.wasm")
echo "embedded: ok, $expected vectors alike on both sides, $size bytes of WebAssembly"
