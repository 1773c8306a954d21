#!/usr/bin/env bash
# What must pass before a change is committed: format, lint, house rules, fast tests, the browser.
set -uo pipefail
cd "$(dirname "$0")/.."
title=check
. Tools/steps.sh

# Test targets that take longer than a unit test may.
slow='^(StoryTests|SimulationTests|SQLiteSimulationTests|CrashTests|CommuteToolTests)\.'

step "lint" make -s lint
vital "debug build" swift build --scratch-path "${BUILD:-.build}" --build-tests
step "tidy" swift test --scratch-path "${BUILD:-.build}" --skip-build --filter '^TidyTests\.'
step "fast tests" swift test --scratch-path "${BUILD:-.build}" --skip-build \
  --skip "$slow" --skip '^TidyTests\.'
step "embedded" make -s embedded
step "lines" Tools/count-lines.sh
finish "$title"
