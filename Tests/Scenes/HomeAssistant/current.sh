#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# current.sh FOLDER - a current Home Assistant in a Debian 13 in FOLDER, which Debian 12's Python cannot run; needs root.
#
# The first run takes some minutes, later ones nothing.
set -euo pipefail
folder=$1
version=2026.2.3
here=$(cd "$(dirname "$0")" && pwd)

[ "$(id -u)" = 0 ] || { echo "a Debian in a folder needs root: sudo make test-home-assistant-current" >&2; exit 1; }
[ "$(cat "$folder/opt/version" 2>/dev/null)" = "$version" ] && exit 0
"$here/../../Rig/packages.sh" mmdebstrap debian-archive-keyring
rm -rf "$folder"
mkdir -p "$folder"
# In mounts of its own: an interrupted run would leave the machine's /proc and /dev in a folder that is removed later.
unshare --mount --propagation private mmdebstrap --mode=root --variant=minbase --include=ca-certificates,python3,python3-dev,python3-venv,gcc,libc6-dev \
    trixie "$folder" "${MIRROR:-http://deb.debian.org/debian}"
# The names and certificates of this machine hold there, too.
cp /etc/resolv.conf /etc/hosts "$folder/etc/"
cp -L /etc/ssl/certs/ca-certificates.crt "$folder/etc/ssl/certs/"
export SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt PIP_CERT=/etc/ssl/certs/ca-certificates.crt
unset PIP_FIND_LINKS
chroot "$folder" python3 -m venv /opt/ha
chroot "$folder" /opt/ha/bin/pip install --quiet uv
# uv finds the set of packages for which pip looks for minutes. The two others belong to its MQTT integration.
chroot "$folder" /opt/ha/bin/uv pip install --quiet --native-tls --python /opt/ha/bin/python \
    "homeassistant==$version" paho-mqtt==2.1.0 janus==2.0.0
echo "$version" > "$folder/opt/version"
