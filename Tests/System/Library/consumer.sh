#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# consumer.sh - a package that depends on the library alone: resolved, built and run. Takes the last commit, as its user does.
set -euo pipefail
root=$(cd "$(dirname "$0")/../../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
git clone --quiet --bare --no-local "$root" "$work/martlet.git"
revision=$(git -C "$root" rev-parse HEAD)
mkdir -p "$work/consumer/Sources/scan"
cd "$work/consumer"
cat >Package.swift <<END
// swift-tools-version: 6.2
import PackageDescription
let package = Package(
    name: "consumer",
    dependencies: [.package(url: "file://$work/martlet.git", revision: "$revision", traits: [])],
    targets: [
        .executableTarget(name: "scan", dependencies: [.product(name: "CoreBluetooth", package: "martlet")])
    ])
END
cat >Sources/scan/main.swift <<'END'
import CoreBluetooth
let service = CBUUID(string: "180D")
print("service", service, "of", service.data.count, "octets")
END
swift build --disable-index-store
said=$(swift run --skip-build scan)
[ "$said" = "service 180D of 2 octets" ] || { echo "the program says: $said" >&2; exit 1; }
packages=$(ls .build/checkouts | sort | tr '\n' ' ')
[ "$packages" = "martlet swift-log " ] || { echo "resolved: $packages; wanted are martlet and swift-log alone" >&2; exit 1; }
echo "a package that depends on CoreBluetooth gets $packages"
