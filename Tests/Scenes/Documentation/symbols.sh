#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# symbols.sh BUILD-FOLDER FOLDER - the symbol graph of the library CoreBluetooth, out of a build that is there.
set -euo pipefail
build=$1 folder=$2
maps=()
# CoreBluetoothHeaders declares a Clang module of the same name, which would be taken for the library.
for map in "$build"/*.build/module.modulemap Sources/CLibcrypto/include/module.modulemap; do
    case $map in *CoreBluetoothHeaders*) continue ;; esac
    maps+=(-Xcc "-fmodule-map-file=$map")
done
for headers in Sources/CBlueZ/include Sources/CLibcrypto/include; do maps+=(-Xcc -I -Xcc "$headers"); done
target=$(swift -print-target-info | sed -n 's/.*"triple" *: *"\(.*\)".*/\1/p' | head -n 1)
swift symbolgraph-extract -module-name CoreBluetooth -I "$build/Modules" -target "$target" "${maps[@]}" \
    -minimum-access-level public -skip-synthesized-members -output-dir "$folder"
