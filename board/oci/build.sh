#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# build.sh OUTPUT PACKAGE.deb... - make the OCI image of martlet in OUTPUT, of one Debian package an architecture: a folder
# in the OCI layout (OUTPUT/martlet), the same as one file, and the folder of the Home Assistant add-on. No root: packages
# are unpacked, not installed, so that nothing of another architecture has to run.
#
# umoci makes layer, configuration and manifest, because it works on a folder alone: no daemon, no storage of its own, no
# user namespace, which buildah wants even for an image that runs nothing. What umoci cannot say is in layer.py and index.py.
set -euo pipefail
# shellcheck source=board/lib.sh
. "$(dirname "$0")/../lib.sh"
here=$board_folder/oci
[ $# -ge 2 ] || { sed -n 3,5p "$0" >&2; exit 2; }
mkdir -p "$1"
output=$(realpath "$1")
shift
"$repository/Tests/Rig/packages.sh" umoci libdeflate-tools python3 binutils gcc libc6-dev dpkg xz-utils debian-archive-keyring
work=$(mktemp -d "$built/oci.XXXXXX")
trap 'rm -rf "$work"' EXIT
layout=$work/martlet
created=$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y-%m-%dT%H:%M:%SZ)
revision=$(git -C "$repository" rev-parse HEAD)
mapfile -t packages < <(sed 's/#.*//' "$here/packages.list" | xargs -n 1)

# unpack_debian ARCHITECTURE ROOT: Debian's part, without programs, documentation or anything else that nothing opens.
unpack_debian() {
    local folder=$work/debian-$1 package name
    # Only what the mirror has today: what an earlier build has fetched may be older.
    fetch_packages "$target_suite" "$1" "$folder" "${packages[@]}" >"$work/fetch.log" 2>&1 ||
        { cat "$work/fetch.log" >&2; fail "oci: the packages for $1 cannot be fetched"; }
    for package in "$folder"/*.deb; do
        dpkg-deb --fsys-tarfile "$package" | tar -C "$2" -x --no-same-owner --exclude='./usr/share/man/*' \
            --exclude='./usr/share/locale/*' --exclude='./usr/share/info/*' --exclude='./usr/share/lintian/*' \
            --exclude='./usr/share/base-files/*' --exclude='./usr/share/gcc/*' --exclude='./usr/share/gdb/*' --exclude='./usr/lib/*/gconv/*' --exclude='./usr/share/zoneinfo/right/*'
        # Scanners of images look up here which packages it has.
        name=$(dpkg-deb -f "$package" Package)
        mkdir -p "$2/var/lib/dpkg/status.d"
        { dpkg-deb -f "$package"; } >"$2/var/lib/dpkg/status.d/$name"
    done
    find "$2/usr/share/doc" -type f ! -path '*/doc/*/copyright' -delete
    # Links to documentation that has gone, and folders that are empty now.
    find "$2/usr/share/doc" -xtype l -delete
    find "$2/usr/share" -depth -type d -empty -delete
    rm -rf "${2:?}"/{boot,home,media,mnt,srv,opt,root} "${2:?}"/usr/{games,include,src,sbin,bin} "$2"/usr/share/doc/*/examples "$2"/etc/{cron.daily,profile.d,skel,update-motd.d,kernel,opt,init.d} \
        "$2"/usr/share/{bug,dict,misc,pixmaps} "$2"/var/{backups,cache,local,lock,log,mail,opt,run,spool} "${2:?}"/usr/local
    rm -rf "$2"/etc/{issue,issue.net,motd,dpkg,debian_version,host.conf,default} "$2"/usr/lib/*/{gconv,engines-3} "$2"/usr/share/zoneinfo/localtime
    chmod -R u+rwX "$2"
}

# configure ROOT: what maintainer scripts would do.
configure() {
    local certificate
    mkdir -p "$1"/etc/{ssl/certs,martlet/conf.d} "$1"/usr/{bin,sbin,lib/ssl,local/bin,share/martlet} "$1"/var/{lib/martlet,tmp} "$1"/{run/martlet,tmp,proc,sys,dev}
    for certificate in "$1"/usr/share/ca-certificates/mozilla/*.crt; do cat "$certificate"; done >"$1/etc/ssl/certs/ca-certificates.crt"
    rm -rf "$1/usr/share/ca-certificates" "$1/etc/ca-certificates"
    ln -sfn /etc/ssl/certs "$1/usr/lib/ssl/certs"
    ln -sfn /etc/ssl/certs/ca-certificates.crt "$1/usr/lib/ssl/cert.pem"
    printf 'root:x:0:0:root:/:/usr/sbin/nologin\nmartlet:x:880:880:Bluetooth LE sensor gateway:/var/lib/martlet:/usr/sbin/nologin\n' >"$1/etc/passwd"
    printf 'root:x:0:\nmartlet:x:880:\n' >"$1/etc/group"
    printf 'passwd: files\ngroup: files\nhosts: files dns\n' >"$1/etc/nsswitch.conf"
    # Not every engine leaves a mark of its own in a container.
    printf 'The program knows by this file that it runs in a container.\n' >"$1/usr/share/martlet/container"
    chmod 1777 "$1/tmp" "$1/var/tmp"
    chmod 700 "$1/var/lib/martlet"
    chmod 750 "$1/run/martlet" "$1/etc/martlet" "$1/etc/martlet/conf.d"
    chmod 640 "$1/etc/martlet/martlet.toml"
}

# image PACKAGE: one architecture, under its name in the layout.
image() {
    local package=$1 architecture root compiler triplet
    architecture=$(dpkg-deb -f "$package" Architecture)
    root=$work/root-$architecture
    case $architecture in
        amd64) compiler=x86_64-linux-gnu-gcc ;;
        arm64) compiler=aarch64-linux-gnu-gcc ;;
        *) fail "oci: no image is made for $architecture" ;;
    esac
    if ! command -v "$compiler" >/dev/null; then
        triplet=${compiler%-gcc}
        "$repository/Tests/Rig/packages.sh" "gcc-${triplet//_/-}" "libc6-dev-$architecture-cross"
    fi
    mkdir "$root"
    say "oci: $architecture"
    unpack_debian "$architecture" "$root"
    # No systemd, no shell that would complete anything, no man.
    dpkg-deb --fsys-tarfile "$package" | tar -C "$root" -x --no-same-owner --exclude='./usr/lib/*' --exclude='./usr/share/man' \
        --exclude='./usr/share/bash-completion' --exclude='./usr/share/zsh' --exclude='./usr/share/fish' --exclude='./usr/share/lintian'
    dpkg-deb -f "$package" >"$root/var/lib/dpkg/status.d/martlet"
    configure "$root"
    $compiler -std=gnu11 -Os -Wall -Wextra -Werror -s -Wl,--build-id=none -ffile-prefix-map="$here"=. \
        -o "$root/usr/local/bin/martlet" "$here/launch.c"
    "$here/libraries.py" "$root" usr/bin/martlet usr/local/bin/martlet
    "$here/layer.py" "$root" "$work/$architecture.tar"

    umoci new --image "$layout:$architecture"
    umoci raw add-layer --image "$layout:$architecture" --history.created "$created" \
        --history.created_by "board/oci/build.sh" --history.author martlet "$work/$architecture.tar"
    umoci config --image "$layout:$architecture" --no-history --architecture "$architecture" --os linux --created "$created" \
        --author "Martlet contributors" \
        --config.user 880:880 --config.workingdir /var/lib/martlet \
        --config.entrypoint martlet --config.cmd run --config.stopsignal SIGTERM \
        --config.volume /var/lib/martlet \
        --clear config.env --config.env PATH=/usr/local/bin:/usr/bin --config.env TZ=UTC \
        "${labels[@]}"
}

[ "${#packages[@]}" -gt 5 ] || fail "oci: packages.list is empty"
version=$(dpkg-deb -f "$1" Version)
labels=()
for label in title=Martlet "description=Bluetooth LE sensor gateway" "version=$version" "revision=$revision" \
    "created=$created" licenses=Apache-2.0 vendor="Martlet contributors" ${IMAGE_SOURCE:+"source=$IMAGE_SOURCE"} \
    "base.name=debian:$target_suite"; do
    labels+=(--config.label "org.opencontainers.image.$label" --manifest.annotation "org.opencontainers.image.$label")
done
umoci init --layout "$layout"
architectures=()
for package; do
    [ "$(dpkg-deb -f "$package" Version)" = "$version" ] || fail "oci: $package is not version $version"
    image "$package"
    architectures+=("$(dpkg-deb -f "$package" Architecture)")
done
umoci gc --layout "$layout"
"$here/index.py" "$layout" "martlet:$version" "${architectures[@]}"

rm -rf "${output:?}/martlet"
mv "$layout" "$output/martlet"
archive=$output/martlet-$version-oci.tar
tar -C "$output/martlet" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX \
    --format=ustar -cf "$archive" oci-layout index.json blobs
addon=$output/home-assistant-addon
rm -rf "$addon"
cp -r "$board_folder/home-assistant-addon" "$addon"
sed -i "s/^version: .*/version: \"$version\"/" "$addon/config.yaml"
cp "$@" "$addon/"
own "$output"
for architecture in "${architectures[@]}"; do
    say "oci: $architecture, $(($(stat -c %s "$work/$architecture.tar") / 1000000)) MB unpacked"
done
say "oci: $archive, $(($(stat -c %s "$archive") / 1000)) kB with ${architectures[*]}"
