#!/usr/bin/env bash
# Lines of Swift a module and a test target, and how many lines of test stand behind one of code.
set -euo pipefail
cd "$(dirname "$0")/.."

lines_below() {
  find "$1" -name '*.swift' -exec cat {} + | wc -l
}

code=0
tests=0
printf '%-24s %7s %7s\n' module code tests
for folder in Sources/*/; do
  module=$(basename "$folder")
  own=$(lines_below "$folder")
  if [ "$own" -eq 0 ]; then continue; fi
  tested=0
  if [ -d "Tests/${module}Tests" ]; then tested=$(lines_below "Tests/${module}Tests"); fi
  code=$((code + own))
  printf '%-24s %7d %7d\n' "$module" "$own" "$tested"
done
tests=$(lines_below Tests)
ratio=$((tests * 100 / (code > 0 ? code : 1)))
echo "lines: $code of code, $tests of tests, $((ratio / 100)).$(printf %02d $((ratio % 100))) for one"
