#!/usr/bin/env bash
# Builds the reference of every module that has a catalog; a broken link or an unknown symbol fails.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${BUILD:-.build}
shopt -s nullglob
catalogs=(Sources/*/*.docc)
if [ "${#catalogs[@]}" -eq 0 ]; then
  echo "docs: no module has a catalog yet (Sources/MODULE/MODULE.docc)" >&2
  exit 1
fi

swift package --scratch-path "$build" dump-symbol-graph --minimum-access-level public > /dev/null
graphs=$(find "$build" -type d -name symbolgraph | head -n 1)
for catalog in "${catalogs[@]}"; do
  module=$(basename "$catalog" .docc)
  own="$build/docs/graphs/$module"
  rm -rf "$own"
  mkdir -p "$own"
  cp "$graphs/$module".symbols.json "$own"
  for extension in "$graphs/$module"@*.symbols.json; do cp "$extension" "$own"; done
  docc convert "$catalog" --additional-symbol-graph-dir "$own" \
    --output-path "$build/docs/$module" --warnings-as-errors
done
echo "docs: ok, ${#catalogs[@]} modules, in $build/docs"
