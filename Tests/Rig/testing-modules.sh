#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# testing-modules.sh FOLDER - links in FOLDER to what a build against Swift's static libraries lacks for its tests: the modules of
# Swift Testing, of which there are only dynamic libraries, and static libraries that are no libraries of their own otherwise.
set -euo pipefail
mkdir -p "$1"
resources=$(swift -print-target-info | sed -n 's/.*"runtimeResourcePath" *: *"\(.*\)".*/\1/p')
for module in Testing _Testing_Foundation _TestingInterop; do
    [ ! -d "$resources/linux/$module.swiftmodule" ] || ln -sfn "$resources/linux/$module.swiftmodule" "$1/$module.swiftmodule"
done
[ -d "$1/Testing.swiftmodule" ] || { echo "there is no Swift Testing in $resources/linux" >&2; exit 1; }
for library in "${resources}_static"/linux/*.a; do
    name=$(basename "$library" .a)
    [ -e "$resources/linux/$name.so" ] || ln -sfn "$library" "$1/$name.a"
done
