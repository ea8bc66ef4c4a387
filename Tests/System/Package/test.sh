#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# test.sh PACKAGE.deb [chroot|boot]... - what the package does to a Debian: installed, upgraded, removed and purged in a
# chroot; then booted with systemd in a QEMU guest, without KVM. Both without an argument. Root.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
repository=$(cd "$here/../../.." && pwd)
rig=$repository/.rig/package
package=$(realpath "$1")
shift
[ $# -gt 0 ] || set -- chroot boot

# Mounts and processes of the test end with it.
if [ -z "${MARTLET_ALONE:-}" ]; then
    MARTLET_ALONE=1 exec unshare --mount --pid --fork --kill-child "$0" "$package" "$@"
fi
"$repository/Tests/Rig/packages.sh" lintian
"$here/root.sh"
. "$here/checks.sh"
. "$here/manual.sh"
work=$(mktemp -d "$rig/test.XXXXXX")
trap 'umount -R "$work/root/proc" 2>/dev/null || :; rm -rf "$work"' EXIT

# earlier VERSION: the package under another version and with another default configuration, as one of before.
earlier() {
    dpkg-deb -R "$package" "$work/earlier"
    sed -i "s/^Version: .*/Version: $1/" "$work/earlier/DEBIAN/control"
    # It opened its controller itself.
    rm "$work"/earlier/usr/lib/systemd/system/martlet-controller*
    sed -i '/MARTLET_CONTROLLER_SOCKET/d; /^After=martlet-controller.socket$/d; s/ martlet-controller.socket//' \
        "$work/earlier/usr/lib/systemd/system/martlet.service"
    echo '# A line of an earlier version.' >>"$work/earlier/etc/martlet/martlet.toml"
    dpkg-deb -Znone -b --root-owner-group "$work/earlier" "$work/earlier.deb" >/dev/null
    rm -r "$work/earlier"
}

# root: a fresh Debian in $work/root, which has both packages.
root() {
    umount -R "$work/root/proc" 2>/dev/null || :
    rm -rf "$work/root"
    mkdir "$work/root"
    tar -C "$work/root" -xf "$rig/root.tar"
    mount -t proc proc "$work/root/proc"
    cp "$work/earlier.deb" "$package" "$work/root/root/"
    mv "$work/root/root/$(basename "$package")" "$work/root/root/martlet.deb"
    cp "$here/checks.sh" "$here/martlet.toml" "$work/root/root/"
}

lintian_is_silent() {
    local said
    said=$(lintian --allow-root --fail-on none --tag-display-limit 0 "$package") && [ -z "$said" ] || { echo "$said"; return 1; }
}
check "lintian has nothing to say that is not overridden" lintian_is_silent
earlier 0.0.1
for part; do
    root
    . "$here/$part.sh"
done
finish
