# SPDX-License-Identifier: Apache-2.0
# What is in the image. Read by oci.sh.
echo "image:"
layout=$folder/martlet
config() { skopeo inspect --config --override-os linux --override-arch amd64 "oci:$layout:martlet:$version" | jq -r "$1"; }
blob() { cat "$layout/blobs/${1/://}"; }
# What Docker reads of the configuration, and OCI does not know, skopeo leaves out.
whole() { blob "$(blob "$(manifest '.manifests[0].digest')" | jq -r .config.digest)" | jq -r "$1"; }
manifest() { skopeo inspect --raw "oci:$layout:martlet:$version" | jq -r "$1"; }
# Every blob is what its name says, and nobody refers to one that is not there, or the other way round.
blobs() {
    local blob
    for blob in "$layout"/blobs/sha256/*; do
        equal "$(sha256sum <"$blob" | cut -d' ' -f1)" "${blob##*/}" || return 1
    done
    equal "$(cd "$layout/blobs/sha256" && ls | sort)" \
        "$({ jq -r '.manifests[].digest' "$layout/index.json"; manifest '.manifests[].digest'
            for blob in $(manifest '.manifests[].digest'); do
                jq -r '.config.digest, .layers[].digest' "$layout/blobs/${blob/://}"
            done; } | sed 's/^sha256://' | sort -u)"
}
check "it is an OCI layout" equal "$(cat "$layout/oci-layout")" '{"imageLayoutVersion":"1.0.0"}'
check "of one name" equal "$(jq -r '.manifests[].annotations[]' "$layout/index.json")" "martlet:$version"
check "which is an index of platforms" equal "$(manifest .mediaType)" application/vnd.oci.image.index.v1+json
check "amd64 is one" equal "$(manifest '.manifests[] | select(.platform.architecture == "amd64") | .platform.os')" linux
check "every blob is intact, and none is there for nothing" blobs
check "the file has the same" diff <(tar -xOf "$archive" index.json) "$layout/index.json"
check "it is smaller than 40 MB for a machine" test "$(blob "$(manifest '.manifests[0].digest')" | jq '[.layers[].size] | add')" -lt 40000000
check "it runs the gateway" equal "$(config '[.config.Entrypoint[], .config.Cmd[]] | join(" ")')" "martlet run"
check "as a user" equal "$(config .config.User)" 880:880
check "with a volume" equal "$(config '.config.Volumes | keys | join(" ")')" /var/lib/martlet
check "which SIGTERM stops" equal "$(config .config.StopSignal)" SIGTERM
check "without a port" equal "$(config '.config.ExposedPorts')" null
check "it is asked for its health, without a shell" equal "$(whole '.config.Healthcheck.Test | join(" ")')" "CMD martlet status"
for label in title description version revision created licenses vendor; do
    check "it says its $label" test "$(config ".config.Labels[\"org.opencontainers.image.$label\"]")" != null
done
check "its version is the program's" equal "$(config '.config.Labels["org.opencontainers.image.version"]')" "$version"
check "it is unpacked" unpack amd64
root=$work/amd64/rootfs
check "the launcher may have the adapter, and starts without" equal "$(getcap "$root/usr/local/bin/martlet")" "$root/usr/local/bin/martlet cap_net_admin=p"
check "nothing else has a capability" equal "$(getcap -r "$root" | wc -l)" 1
check "nothing takes another user's rights" equal "$(find "$root" -perm /6000)" ""
check "there are two programs" equal "$(find "$root" -type f -perm /111 ! -name '*.so*' -printf '%P\n' | sort | xargs)" "usr/bin/martlet usr/local/bin/martlet"
check "everybody may write nowhere but in /tmp" equal "$(find "$root" ! -type l -perm -o+w -printf '%P\n' | sort | xargs)" "tmp var/tmp"
check "the volume is the user's" equal "$(stat -c '%a %u:%g' "$root/var/lib/martlet")" "700 880:880"
check "the configuration is readable, and no more" equal "$(stat -c '%a %u:%g' "$root/etc/martlet/martlet.toml")" "640 0:880"
check "no link leads nowhere" equal "$(chroot "$root" /usr/bin/martlet version >/dev/null && find "$root" -type l -printf '%P %l\n' | while read -r link target; do
    case $target in /*) to=$root$target ;; *) to=$(dirname "$root/$link")/$target ;; esac; [ -e "$to" ] || echo "$link"; done)" ""
check "there are certificates" test "$(grep -c 'BEGIN CERTIFICATE' "$root/etc/ssl/certs/ca-certificates.crt")" -gt 100
check "and time zones" test -s "$root/usr/share/zoneinfo/Europe/Zurich"
check "a licence is there for every package" equal "$(cd "$root/var/lib/dpkg/status.d" && for package in *; do
    [ -e "$root/usr/share/doc/$package/copyright" ] || [ "$package" = libgcc-s1 ] || [ "$package" = libstdc++6 ] || echo "$package"; done)" ""
again() {
    mkdir -p "$work/again"
    "$repository/board/oci/build.sh" "$work/again" "$folder"/home-assistant-addon/martlet_*.deb >"$work/again.log" 2>&1 || { cat "$work/again.log"; return 1; }
    cmp "$archive" "$work/again/martlet-$version-oci.tar"
}
check "made again it is the same, octet for octet" again
