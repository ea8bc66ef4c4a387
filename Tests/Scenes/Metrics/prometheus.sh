#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# prometheus.sh FOLDER - Debian's prometheus and promtool, unpacked into FOLDER.
#
# Not installed: Debian would start a service that listens on all addresses.
set -euo pipefail
folder=$1
[ -x "$folder/usr/bin/prometheus" ] && [ -x "$folder/usr/bin/promtool" ] && exit 0

as_root=()
[ "$(id -u)" = 0 ] || as_root=(sudo)
echo "unpacking prometheus into $folder"
rm -rf "$folder"
mkdir -p "$folder/package"
cd "$folder/package"
# apt's own user may not write here, and need not.
fetch=(apt-get download -qq -o APT::Sandbox::User=root prometheus)
"${fetch[@]}" 2>/dev/null || { "${as_root[@]}" apt-get update -qq && "${fetch[@]}"; }
dpkg-deb -x ./prometheus_*.deb ..
rm -r ../package
