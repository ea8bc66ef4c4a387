#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# swift.sh - says what to install where there is no Swift that builds Martlet; says nothing where there is.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
oldest=6.2

fail() {
    printf '%s\n' "$@" \
        "Install Swift $oldest or later, https://www.swift.org/install/linux/, and the Debian packages that it builds with:" \
        "  sudo apt-get install binutils-gold gcc git libc6-dev libcurl4-openssl-dev libedit-dev libstdc++-12-dev \\" \
        "      libpython3-dev libsqlite3-dev libncurses-dev libxml2-dev pkg-config tzdata zlib1g-dev" \
        "Then see that 'swift --version' answers in this shell, and try again." >&2
    exit 1
}

command -v swift >/dev/null || fail "There is no swift in the PATH of this shell."
version=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9][0-9.]*\).*/\1/p' | head -n 1)
[ -n "$version" ] || fail "$(command -v swift) does not say its version: it cannot run here."
[ "$(printf '%s\n' "$oldest" "$version" | sort -V | head -n 1)" = "$oldest" ] ||
    fail "$(command -v swift) is Swift $version, which is too old."

# Swift builds with the compiler, the linker and the headers of the system. A first build would miss them in words of theirs.
[ ! -d "$root/.build" ] || exit 0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo 'import Foundation; print(Date())' >"$work/main.swift"
swiftc -o "$work/main" "$work/main.swift" >"$work/log" 2>&1 || {
    tail -n 5 "$work/log" >&2
    fail "Swift $version cannot build a program here."
}
