#!/usr/bin/env bash
# Installs what is missing to build and test on Debian, and says what it does. Where everything is
# there, it changes nothing and needs no network.
set -euo pipefail

# What is needed: kind, name to look for, Debian package, what for.
needs=(
  "program pkg-config pkg-config finds_the_libraries_below"
  "library sqlite3 libsqlite3-dev the_database_of_devices_and_server"
  "library libcurl libcurl4-openssl-dev the_HTTP_client"
  "library libmicrohttpd libmicrohttpd-dev the_HTTP_server"
  "library zlib zlib1g-dev compressed_answers"
  "program sqlite3 sqlite3 reads_the_database_files_in_demo_and_stories"
  "program openssl openssl certificates_for_tests_of_https"
  "program strace strace counts_what_reaches_the_disk"
  "program python3 python3 golden_vectors_and_their_embedding"
  "program make make runs_all_of_this"
)

is_there() {
  case $1 in
    program) command -v "$2" > /dev/null ;;
    library) pkg-config --exists "$2" 2> /dev/null ;;
  esac
}

check_swift() {
  local version
  if ! command -v swift > /dev/null; then
    echo "set-up: swift is not on the PATH; get Swift 6.3 or later from https://swift.org/install" >&2
    exit 1
  fi
  version=$(swift --version 2>&1 | sed -n 's/.*Swift version \([0-9]*\.[0-9]*\).*/\1/p' | head -n 1)
  if [ "$(printf '6.3\n%s\n' "$version" | sort -V | head -n 1)" != 6.3 ]; then
    echo "set-up: this is Swift ${version:-of an unknown version}; Commute needs 6.3 or later" >&2
    exit 1
  fi
}

install_packages() {
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    if command -v sudo > /dev/null && { [ -t 0 ] || sudo -n true 2> /dev/null; }; then
      as_root=(sudo)
    else
      echo "set-up: this needs root and sudo does not help; type this as root, then try again:" >&2
      echo "  apt-get update && apt-get install -y --no-install-recommends $*" >&2
      exit 1
    fi
  fi
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq)
  local install=("${apt[@]}" install -y --no-install-recommends "$@")
  # A machine that never fetched the package lists, or long ago, gets them now.
  "${install[@]}" > /dev/null 2>&1 || { "${apt[@]}" update && "${install[@]}" > /dev/null; } || {
    echo "set-up: the packages could not be installed; is the network there?" >&2
    exit 1
  }
}

missing=()
for need in "${needs[@]}"; do
  read -r kind name package purpose <<< "$need"
  if ! is_there "$kind" "$name"; then
    missing+=("$package")
    echo "set-up: $package is missing (${purpose//_/ })"
  fi
done

if [ "${#missing[@]}" -gt 0 ]; then
  if ! command -v apt-get > /dev/null; then
    echo "set-up: these are the names of Debian; install what they are called here, then try again" >&2
    exit 1
  fi
  echo "set-up: installing ${missing[*]}"
  install_packages "${missing[@]}"
fi
check_swift
echo "set-up: ok"
