# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What the scripts of this folder share; source it, do not run it.
#
#   .rig/board/     what is fetched: the chroots of the tools and of the compiler, the Swift SDK; kept by `make clean`
#   .build/board/   what is built: the cross-build, the root tree, the images
#
# Nothing outside them is written, but one entry in the kernel's binfmt_misc table while maintainer scripts run.

board_folder=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
repository=$(dirname "$board_folder")
rig=$repository/.rig/board
built=$repository/.build/board
case $repository in *[[:space:]]*) echo "board: no space may be in the path of the checkout: $repository" >&2; exit 1 ;; esac
# What is made does not depend on who makes it.
umask 022
export LC_ALL=C.UTF-8
mkdir -p "$rig" "$built"
# own FILE...: what lies beside root's two folders belongs to who called sudo, and builds there, too.
own() { [ -z "${SUDO_UID:-}" ] || chown -h "$SUDO_UID${SUDO_GID:+:$SUDO_GID}" "$@"; }
own "$repository/.rig" "$repository/.build"
# as_user COMMAND...: as who called sudo.
as_user() {
    if [ -z "${SUDO_UID:-}" ]; then "$@"; return; fi
    sudo -H -u "#$SUDO_UID" env "PATH=$PATH" "SOURCE_DATE_EPOCH=$SOURCE_DATE_EPOCH" "$@"
}

# shellcheck source=board/versions.sh
. "$board_folder/versions.sh"
mirror=${MIRROR:-http://deb.debian.org/debian}
# Not every mirror has the security updates; a snapshot has: …/archive/debian-security/DATE beside …/archive/debian/DATE.
case $mirror in
    */archive/debian/*) beside=${mirror/\/archive\/debian\//\/archive\/debian-security\/} ;;
    *) beside=http://deb.debian.org/debian-security ;;
esac
security_mirror=${SECURITY_MIRROR:-$beside}
keyring=/usr/share/keyrings/debian-archive-keyring.gpg

# Where git is told to look for https://github.com/, if anywhere: the compiler's chroot is told the same.
package_mirror=$({ git config --get-regexp '^url\./.*\.insteadof$' || :; } 2>/dev/null |
    sed -n 's#^url\.\(/.*\)\.insteadof https://github.com/$#\1#p' | head -n 1)

# The moment of the last commit is the time of everything in the image.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$repository" log -1 --format=%ct)}
export SOURCE_DATE_EPOCH

# Documentation stays out of every tree but the licences, which have to be shipped.
lean=(--aptopt='Acquire::Check-Valid-Until "false"' --aptopt='Apt::Install-Recommends "false"'
    --aptopt='Acquire::Languages "none"' --aptopt='Acquire::Retries "5"'
    --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/info/*'
    --dpkgopt='path-exclude=/usr/share/locale/*' --dpkgopt='path-exclude=/usr/share/doc/*'
    --dpkgopt='path-include=/usr/share/doc/*/copyright')

say() { printf '%s  %s\n' "$(date +%H:%M:%S)" "$*" >&2; }
fail() { printf '%s\n' "$*" >&2; exit 1; }

# clear_tree FOLDER: removes a chroot; never what is mounted there.
clear_tree() { rm -rf --one-file-system "${1:?}"; }

# source_line SUITE COMPONENTS: one line of a sources.list whose signature apt checks.
source_line() { echo "deb [signed-by=$keyring] $mirror $1 $2"; }

# source_lines SUITE COMPONENTS: the same with the security updates, of which sid has none: what goes into the image.
source_lines() {
    source_line "$1" "$2"
    [ "$1" != sid ] || return 0
    echo "deb [signed-by=$keyring] $security_mirror $1-security $2"
}

need_root() { [ "$(id -u)" = 0 ] || fail "board: this needs root, for chroots and binfmt_misc (sudo make image)"; }

# need_host: the few programs that cannot come from a chroot.
need_host() {
    need_root
    [ "$(uname -m)" = x86_64 ] || fail "board: this needs an x86-64 Debian machine"
    "$repository/Tests/Rig/packages.sh" perl xz-utils curl git openssl python3 debian-archive-keyring
}

# fetch_packages SUITE ARCHITECTURE FOLDER PACKAGE[=VERSION]...: downloads by an apt of its own, which checks signatures.
fetch_packages() {
    local apt=$rig/apt/$1-$2 folder=$3
    local options=(-qq -o "Dir::State=$apt" -o "Dir::State::lists=$apt/lists" -o "Dir::Cache=$apt/cache"
        -o "Dir::Etc::sourcelist=$apt/sources.list" -o Dir::Etc::sourceparts=/dev/null
        -o Dir::Etc::preferencesparts=/dev/null -o Dir::State::status=/dev/null -o "APT::Architecture=$2"
        -o "APT::Architectures=$2" -o APT::Sandbox::User=root -o Acquire::Retries=5)
    mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" "$folder"
    source_lines "$1" 'main non-free-firmware' >"$apt/sources.list"
    shift 3
    apt-get "${options[@]}" update
    (cd "$folder" && apt-get "${options[@]}" download "$@")
}

# mmdebstrap ARGUMENTS...: trixie's, which is one Perl script and needs no installation.
mmdebstrap() {
    local folder=$rig/mmdebstrap
    if [ ! -x "$folder/usr/bin/mmdebstrap" ]; then
        fetch_packages "$target_suite" amd64 "$rig/downloads" mmdebstrap
        dpkg -x "$rig"/downloads/mmdebstrap_*.deb "$folder"
    fi
    mkdir -p "$rig/tmp"
    # In a mount namespace of its own: what it has mounted is gone when it is, however it ends.
    PATH=$folder/usr/bin:$PATH TMPDIR=$rig/tmp unshare --mount --propagation private \
        mmdebstrap --mode=root --format=directory "${lean[@]}" "$@"
}

# in_chroot ROOT COMMAND: runs COMMAND in ROOT with a clean environment; /rig and /build are this repository's folders,
# /source the repository itself, read-only. /proc is not optional: swiftc finds its own libraries through it.
in_chroot() {
    local root=$1
    need_root
    shift
    mkdir -p "$root/rig" "$root/build" "$root/source" "$root$package_mirror"
    unshare --mount --propagation private bash -euc '
        root=$1; rig=$2; built=$3; source=$4; packages=$5; command=$6
        mount -t proc proc "$root/proc"
        mount --rbind /dev "$root/dev"
        mount --bind "$rig" "$root/rig"
        mount --bind "$built" "$root/build"
        mount --bind "$source" "$root/source"
        mount -o remount,ro,bind "$root/source"
        # No compiler, and nothing that it fetches, needs the key that signs updates.
        [ ! -d "$root/source/board/keys" ] || mount -t tmpfs -o ro tmpfs "$root/source/board/keys"
        if [ -n "$packages" ]; then
            mount --bind "$packages" "$root$packages"
            mount -o remount,ro,bind "$root$packages"
        fi
        proxies=()
        for name in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY; do
            [ -z "${!name:-}" ] || proxies+=("$name=${!name}")
        done
        exec env -i PATH=/usr/libexec/swift/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 TZ=UTC \
            SOURCE_DATE_EPOCH="$SOURCE_DATE_EPOCH" "${proxies[@]}" chroot "$root" sh -euc "$command"' \
        _ "$root" "$rig" "$built" "$repository" "$package_mirror" "$*"
}
