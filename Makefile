# What can be done here; `make` alone lists it.

BUILD ?= .build
CHECK ?=
HISTORIES ?= 250000
SEED ?= 1
BREAK ?=
KILLS ?= 200
POINTS ?= 52000
RECORDS ?= 100000
TASKS ?= 50000
GRAPHS ?= 100
PREFIX ?= /usr/local
export BUILD

formatted := Package.swift Sources Tests Tools $(wildcard Examples Benchmarks)
planted := $(if $(BREAK),--planted)

.DEFAULT_GOAL := help
.PHONY: help setup demo test check format lint stories simulate simulate-sqlite crash faults tasks-soak simulate-tasks memory embedded sanitize coverage test-one-thread web test-browser bench docs install

help: ## lists what make can do
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## installs the Debian packages that are missing, and says which
	@Tools/setup.sh

demo: setup ## two devices, one server, nothing lost; stays until Ctrl-C (CHECK=1: only checks)
	@commute=$$(Tools/program.sh commute) && exec "$$commute" demo $(if $(CHECK),--check)

test: ## everything that must hold, in at most 15 minutes: ends with a table of times
	@Tools/test.sh

check: ## what must pass before a change is committed, in at most 4 minutes
	@Tools/check.sh

format: ## puts the code into the house format
	swift format --in-place --parallel --recursive $(formatted)

lint: ## format and lint rules; every finding is an error
	swift format lint --strict --parallel --recursive $(formatted)
	@python3 -B Tools/check-web.py Web
	@for script in Tools/*.sh .ci/run; do bash -n "$$script" || exit 1; done

stories: ## all stories, naive and ours (BREAK=clock|merge|tombstone|dedupe|restamping|fence|offers: one defence off)
	@runner=$$(Tools/program.sh $(planted) commute StoryRunner) && \
	  exec "$$runner" $(if $(BREAK),--break $(BREAK))

simulate: ## seeded histories against the invariants, and the hunt for planted bugs (HISTORIES= SEED=)
	@hunted=$$(Tools/program.sh --planted CommuteSimulator) && \
	  simulator=$$(Tools/program.sh CommuteSimulator) && \
	  exec "$$simulator" --histories $(HISTORIES) --seed $(SEED) --planted "$$hunted"

simulate-sqlite: ## the same with real stores on files that fail, and bugs planted in them (HISTORIES= SEED=)
	@hunted=$$(Tools/program.sh --planted SQLiteSimulator) && \
	  simulator=$$(Tools/program.sh SQLiteSimulator) && \
	  exec "$$simulator" --histories $(if $(filter file,$(origin HISTORIES)),2000,$(HISTORIES)) \
	    --seed $(SEED) --planted "$$hunted"

crash: ## kill -9 of devices and server in the middle of their work (KILLS= SEED=)
	@runner=$$(Tools/program.sh CrashRunner) && exec "$$runner" --kills $(KILLS) --seed $(SEED)

faults: ## a device's disk fails at every write and sync, in every way (POINTS= SEED=)
	@runner=$$(Tools/program.sh FaultRunner) && exec "$$runner" --points $(POINTS) --seed $(SEED)

tasks-soak: ## the queue under processes that are killed and stopped, a full disk, a set clock (TASKS= GRAPHS= KILLS= SEED=)
	@runner=$$(Tools/program.sh TasksSoak) && exec "$$runner" --tasks $(TASKS) --graphs $(GRAPHS) \
	  --kills $(KILLS) --seed $(SEED)

simulate-tasks: ## seeded histories of the queue, every order of a join, and the hunt for planted bugs (HISTORIES= SEED= JOINS=distinct)
	@hunted=$$(Tools/program.sh --planted TasksSimulator) && \
	  simulator=$$(Tools/program.sh TasksSimulator) && \
	  exec "$$simulator" --histories $(if $(filter file,$(origin HISTORIES)),20000,$(HISTORIES)) \
	    --seed $(SEED) $(if $(JOINS),--distinct-joins) --planted "$$hunted"

memory: ## how much memory device and server take for a first sync of RECORDS= books
	@runner=$$(Tools/program.sh CrashRunner) && exec "$$runner" --memory $(RECORDS)

sanitize: ## tests of what threads share under the thread sanitizer; takes long (COMMITS=)
	@COMMITS=$(COMMITS) Tools/sanitize.sh

coverage: ## how much of merge, clock, outbox and cursor code is run, and which mistakes are noticed
	@Tools/coverage.sh

embedded: ## the core as WebAssembly gives the same golden vectors as here
	@Tools/check-embedded.sh

test-one-thread: ## tests in a process whose pool has one thread: nothing may block it (FILTER=)
	@Tools/test-one-thread.sh $(FILTER)

web: ## builds the pages and the core for browsers into Web/dist, and checks their sizes
	@Tools/make-web.sh

test-browser: web ## the pages in real Chromium against a real server and devices (ONLY= RECORD=1)
	@commute=$$(Tools/program.sh commute) && \
	  exec python3 -B Tests/Browser/run.py "$$commute" $(if $(RECORD),--record) $(ONLY)

bench: setup ## measures, beside a floor written in C
	@Benchmarks/run

docs: ## builds the reference; a broken link is an error
	@Tools/check-docs.sh

install: ## puts the program `commute` into PREFIX/bin, its sample into PREFIX/share
	swift build --scratch-path $(BUILD)/install -c release --static-swift-stdlib --product commute
	install -d "$(DESTDIR)$(PREFIX)/bin"
	install -m 755 $(BUILD)/install/release/commute "$(DESTDIR)$(PREFIX)/bin/commute"
	install -d "$(DESTDIR)$(PREFIX)/share/commute"
	install -m 644 Examples/data/reading-list.csv "$(DESTDIR)$(PREFIX)/share/commute/"
