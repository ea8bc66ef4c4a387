#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# oci.sh FOLDER [image|run|page|arm64|addon]... - the OCI image that make oci left in FOLDER: what is in it; the gateway in
# it, run by crun with the rights of Docker, of Podman and with none; the commands of docs/containers.md, by Podman; an
# image for arm64, of a stand-in and, where there is one, of the program, which is run; and the add-on, built by Podman and
# run with a Supervisor of ours. All without arguments.
# Root. Everything that runs has a network of its own, in which there is only loopback.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
repository=$(cd "$here/../../.." && pwd)
rig=$repository/.rig/package
folder=$(realpath "$1")
shift
[ $# -gt 0 ] || set -- image run page arm64 addon
[ "$(id -u)" = 0 ] || { echo "oci.sh: this needs root, for namespaces" >&2; exit 1; }

# Mounts and processes of the test end with it.
if [ -z "${MARTLET_ALONE:-}" ]; then
    "$repository/Tests/Rig/packages.sh" umoci crun skopeo jq libcap2-bin iproute2 util-linux mosquitto mosquitto-clients \
        podman qemu-user-static python3 python3-venv python3-yaml mmdebstrap debian-archive-keyring curl
    # Debian 12's podman-compose cannot say that a service is in the host's network.
    [ -x "$rig/venv-compose/bin/podman-compose" ] || {
        /usr/bin/python3 -m venv "$rig/venv-compose"
        "$rig/venv-compose/bin/pip" install -q -r "$here/oci/requirements.txt"
    }
    MARTLET_ALONE=1 exec unshare --mount --pid --fork --kill-child --mount-proc "$0" "$folder" "$@"
fi
. "$here/checks.sh"
mkdir -p "$rig"
work=$(mktemp -d "$rig/oci.XXXXXX")
trap 'podman rm -fa >/dev/null 2>&1 || :; rm -rf --one-file-system "$work"' EXIT
version=$(sed -n 's/.*current = "\(.*\)"/\1/p' "$repository/Sources/Gateway/GatewayVersion.swift")
archive=$folder/martlet-$version-oci.tar
# crun and Podman refuse a machine with both kinds of control groups, as Debian's kernel can have them.
mount -t cgroup2 none /sys/fs/cgroup

. "$here/oci/podman.sh"
alone() { unshare --net env MARTLET_WORK="$work" bash -euo pipefail -c '
    . "$1/checks.sh"; . "$1/oci/podman.sh"; . "$1/oci/gateway.sh"
    here=$1 rig=$2/.rig/package repository=$2 work=$3 folder=$4 version=$5 archive=$6
    ip link set lo up
    . "$1/oci/$7.sh"
    exit $((failures > 0))' _ "$here" "$repository" "$work" "$folder" "$version" "$archive" "$1"; }

# unpack ARCHITECTURE: the image as a bundle for crun, in $work/ARCHITECTURE.
unpack() {
    skopeo copy -q --override-os linux --override-arch "$1" "oci:${2:-$folder}/martlet:martlet:$version" "oci:$work/one:$1" &&
        umoci unpack --image "$work/one:$1" "$work/$1"
}

for part; do
    case $part in
        image) . "$here/oci/image.sh" ;;
        arm64) . "$here/oci/arm64.sh" ;;
        run)
            [ -d "$work/amd64" ] || unpack amd64
            alone run || failures=$((failures + 1)) ;;
        page) alone page || failures=$((failures + 1)) ;;
        addon)
            [ -d "$work/amd64" ] || unpack amd64
            . "$here/oci/addon.sh" ;;
        *) echo "oci.sh: no part is called $part" >&2; exit 2 ;;
    esac
done
finish
