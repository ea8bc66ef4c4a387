# SPDX-License-Identifier: Apache-2.0
# The Home Assistant add-on: its folder, then built by Podman of a Debian 13 and run. Read by oci.sh.
echo "addon:"
addon=$folder/home-assistant-addon
check "it is as Home Assistant wants it" /usr/bin/python3 "$here/addon/check.py" "$addon" "$version"
base=$rig/addon-base.tar
[ -e "$base" ] || {
    mmdebstrap --quiet --mode=root --variant=minbase trixie "$rig/addon-new.tar" "${MIRROR:-http://deb.debian.org/debian}"
    mv "$rig/addon-new.tar" "$base"
}
# What the Supervisor would have from Docker Hub.
podman import -q "$base" localhost/debian:trixie-slim >/dev/null
build() { podman build --isolation chroot --network host -q --build-arg BUILD_FROM=localhost/debian:trixie-slim -t addon "$addon"; }
check "it is built" build
alone addon-run || failures=$((failures + 1))
