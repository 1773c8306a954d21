#!/bin/sh
# Builds what `commute serve` gives browsers into Web/dist, with nothing but the Swift toolchain: the
# core as WebAssembly and the pages as they stand, each with compressed twins, and checks the sizes.
#
# Compiler flags have one home each: Tools/wasm.toolset.json for WebAssembly, Package.swift for the
# language features.
set -eu
cd "$(dirname "$0")/.."
work=${BUILD:-.build}/web
dist=Web/dist
mkdir -p "$work"

flags() {
  python3 -c 'import json, sys
print(*json.load(open("Tools/wasm.toolset.json"))[sys.argv[1]]["extraCLIOptions"])' "$1"
}
features=$(sed -n 's/.*enableUpcomingFeature("\([A-Za-z]*\)").*/-enable-upcoming-feature \1/p' \
  Package.swift)
wasm="-target wasm32-unknown-none-wasm $(flags swiftCompiler) -wmo -parse-as-library \
  -swift-version 6 -package-name commute -strict-memory-safety -warnings-as-errors $features"
wasm_c="--target=wasm32-unknown-none-wasm -O2 -nostdlib $(flags cCompiler)"
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

# A browser settles nothing for others and has no queue of tasks.
core_files=$(find Sources/CommuteCore -name '*.swift' | grep -v -e /Settling/ -e /Tasks/ |
  LC_ALL=C sort)
core_files="$core_files Sources/CommuteCore/Settling/ConflictEntry.swift"
# shellcheck disable=SC2086
{
  once core $core_files -- swiftc $wasm -module-name CommuteCore \
    -emit-module -emit-module-path "$work/CommuteCore.swiftmodule" -c -o "$work/core.o" $core_files
  for part in memory arithmetic host; do
    source=Sources/CommuteWasmShim/$part.c
    once "shim-$part" "$source" Sources/CommuteWasmShim/include/CommuteWasmShim.h -- \
      clang $wasm_c -Wall -Wextra -Werror -ISources/CommuteWasmShim/include \
      -c "$source" -o "$work/$part.o"
  done
  # The unstripped twin has the same code at the same places: it tells what a trap's address means.
  objects="$work/core.o $work/memory.o $work/arithmetic.o $work/host.o"
  wasm-ld $(flags linker) $objects -o "$work/core.symbols.wasm"
  wasm-ld $(flags linker) -s $objects -o "$work/core.wasm"
}
python3 Tools/pack-web.py Web "$dist" "$work/core.wasm"
