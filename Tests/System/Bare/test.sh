#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# test.sh [COMMAND]... - a Debian 12 that has nothing but Swift, the packages that Swift's own page asks for, git and make:
# a clone of the last commit in /root, which only root may enter, and there the README's two commands, or those given.
# Root; 2 GB of disk in .rig/bare; as long as the commands take.
set -euo pipefail
export LC_ALL=C.UTF-8
here=$(cd "$(dirname "$0")" && pwd)
repository=$(cd "$here/../../.." && pwd)
bare=$repository/.rig/bare
[ "$(id -u)" = 0 ] || { echo "this needs root, for a chroot: sudo make bare-test" >&2; exit 1; }
[ $# -gt 0 ] || set -- "make demo SECONDS=20" "make test"

# What https://www.swift.org/install/linux/ names for Debian 12.
swift_needs=binutils-gold,gcc,git,libcurl4-openssl-dev,libedit-dev,libncurses-dev,libpython3-dev,libsqlite3-dev
swift_needs+=,libstdc++-12-dev,libxml2-dev,libz3-dev,pkg-config,tzdata,uuid-dev,zlib1g-dev

toolchain=$("$repository/board/deb/toolchain.sh")
mkdir -p "$bare"
if [ ! "$bare/root.tar" -nt "$here/test.sh" ]; then
    "$repository/Tests/Rig/packages.sh" mmdebstrap debian-archive-keyring
    mmdebstrap --mode=root --variant=minbase --include="$swift_needs,make,ca-certificates" \
        bookworm "$bare/new.tar" "${MIRROR:-http://deb.debian.org/debian}"
    mv "$bare/new.tar" "$bare/root.tar"
fi
root=$(mktemp -d "$bare/root.XXXXXX")
chmod 755 "$root"
tar -C "$root" -xf "$bare/root.tar"
mkdir -p "$root/opt/swift/usr"
# As in a container: packages with daemons do not start them.
printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
chmod 755 "$root/usr/sbin/policy-rc.d"
git clone --quiet --no-local "$repository" "$root/root/martlet"
chmod 700 "$root/root"

# The network as it is here: name servers, certificates, proxies, and where git looks for packages.
cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
[ ! -e /etc/pip.conf ] || cp /etc/pip.conf "$root/etc/"
[ ! -e /etc/ssl/certs/ca-certificates.crt ] || cp -L /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
packages=$({ git config --get-regexp '^url\./.*\.insteadof$' || :; } |
    sed -n 's#^url\.\(/.*\)\.insteadof https://github.com/$#\1#p' | head -n 1)
if [ -n "$packages" ]; then
    mkdir -p "$root$packages"
    printf '[safe]\n\tdirectory = *\n[url "%s"]\n\tinsteadOf = https://github.com/\n' "$packages" >"$root/root/.gitconfig"
fi
environment=(PATH=/opt/swift/usr/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 "TERM=${TERM:-dumb}")
for name in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY CI PIP_CERT PIP_INDEX_URL PIP_DEFAULT_TIMEOUT; do
    [ -z "${!name:-}" ] || environment+=("$name=${!name}")
done

# Mounts and processes of a command end with it.
inside() {
    unshare --mount --pid --fork --kill-child --propagation private bash -euc '
        root=$1; toolchain=$2; packages=$3; command=$4
        shift 4
        # A mount of its own: chroots inside it change how theirs are propagated.
        mount --bind "$root" "$root"
        mount -t proc proc "$root/proc"
        mount --rbind /dev "$root/dev"
        mount --rbind /sys "$root/sys"
        mount --bind -o ro "$toolchain" "$root/opt/swift/usr"
        [ -z "$packages" ] || mount --bind -o ro "$packages" "$root$packages"
        exec env -i "$@" chroot "$root" bash -c "cd ~/martlet; $command"' _ "$root" "$toolchain" "$packages" "$@"
}

echo "== without Swift in the PATH"
said=$(inside "make demo 2>&1" "${environment[@]/\/opt\/swift\/usr\/bin:/}") && { echo "make demo went on without Swift"; exit 1; }
echo "$said"
grep -q '^Install Swift' <<<"$said" || { echo "that does not say what to install"; exit 1; }

for command; do
    echo "== $command"
    started=$SECONDS
    inside "$command" "${environment[@]}" || {
        echo "FAILED after $((SECONDS - started)) s: $command (what it left is in $root)"
        exit 1
    }
    echo "== passed in $((SECONDS - started)) s: $command"
done
rm -rf --one-file-system "$root"
