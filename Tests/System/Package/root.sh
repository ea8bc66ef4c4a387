#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# root.sh - make .rig/package/root.tar: Debian 12 with systemd and what the package depends on, nothing else. Root; 40 s
# once, then nothing.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
rig=$(cd "$here/../../.." && pwd)/.rig/package
mkdir -p "$rig"
[ "$rig/root.tar" -nt "$here/root.sh" ] && exit 0
"$here/../../Rig/packages.sh" mmdebstrap debian-archive-keyring
# In mounts of its own: an interrupted run would leave the machine's /proc and /dev in a folder that is removed later.
unshare --mount --propagation private mmdebstrap --mode=root --variant=important --aptopt='APT::Install-Recommends "false"' \
    --include=systemd-sysv,udev,dbus,libcurl4,libmicrohttpd12,libmosquitto1,libqrencode4,libsqlite3-0,libssl3,libsystemd0,libstdc++6,libgcc-s1 \
    --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' \
    --dpkgopt='path-include=/usr/share/doc/martlet/*' --dpkgopt='path-include=/usr/share/man/man?/martlet*' \
    --dpkgopt='path-exclude=/usr/share/locale/*' \
    --customize-hook='rm -f "$1"/etc/machine-id && : >"$1"/etc/machine-id && echo martlet-test >"$1"/etc/hostname' \
    --customize-hook='chroot "$1" systemctl mask apt-daily.timer apt-daily-upgrade.timer e2scrub_all.timer fstrim.timer' \
    bookworm "$rig/new.tar" "${MIRROR:-http://deb.debian.org/debian}"
mv "$rig/new.tar" "$rig/root.tar"
