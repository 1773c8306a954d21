#!/usr/bin/env bash
# Everything that must hold. A step that is not built yet is a `later`; writing `step` turns it on.
set -uo pipefail
cd "$(dirname "$0")/.."
title=test
. Tools/steps.sh

vital "set-up" Tools/setup.sh
vital "debug build" swift build --scratch-path "${BUILD:-.build}" --build-tests
# What computes or waits for long, or starts programs, goes one by one: the pool of threads has as
# many as there are cores, and tests that talk over a network must not stand in line behind it. What
# opens thousands of files has a process of its own, and so have those that compute for a minute.
slow='SimulationTests|CrashTests|StoryTests|CommuteToolTests'
network='CommuteHTTPTests|CommuteServerTests|CommuteRelayTests'
heavy='CommuteStoreTests.(Oracle|Condition|History|LiveList)Tests|TidyTests'
ours="swift test --scratch-path ${BUILD:-.build} --skip-build"
step "swift test" $ours --skip "$slow|$network|$heavy"
step "heavy tests" $ours --filter "$heavy"
step "network tests" $ours --filter "$network"
step "slow tests" $ours --no-parallel --filter "$slow"
step "builds" Tools/builds.sh
later "browser"
step "simulate" make -s simulate HISTORIES=20000
step "simulate-sqlite" make -s simulate-sqlite HISTORIES=200
step "crash" make -s crash KILLS=40
step "faults" make -s faults POINTS=2000
step "tasks-soak" make -s tasks-soak TASKS=2000 GRAPHS=10 KILLS=20
step "simulate-tasks" make -s simulate-tasks HISTORIES=5000 JOINS=distinct
step "memory" make -s memory
step "demo" make -s demo CHECK=1
step "stories" make -s stories
step "own app" Examples/own-app/check
finish "$title"
