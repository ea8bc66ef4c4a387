# SPDX-License-Identifier: Apache-2.0
# An image for both architectures, whose arm64 program is a stand-in: it shows what board/oci makes of a package for arm64,
# with Debian's arm64 libraries, and nothing of the gateway there. Where the folder's image has arm64, because there was a
# package for it, that program is run as well. Read by oci.sh.
echo "arm64, with a stand-in for the program:"
"$repository/Tests/Rig/packages.sh" gcc-aarch64-linux-gnu libc6-dev-arm64-cross
stand=$work/stand-in
dpkg-deb -R "$folder/home-assistant-addon/martlet_${version}_amd64.deb" "$stand"
sed -i 's/^Architecture: .*/Architecture: arm64/' "$stand/DEBIAN/control"
printf '#include <stdio.h>\nint main(void) { puts("martlet %s"); return 0; }\n' "$version" |
    aarch64-linux-gnu-gcc -x c -s -o "$stand/usr/bin/martlet" -
dpkg-deb -Znone -b --root-owner-group "$stand" "$work/martlet_${version}_arm64.deb" >/dev/null
both() { "$repository/board/oci/build.sh" "$work/both" "$folder/home-assistant-addon/martlet_${version}_amd64.deb" "$work/martlet_${version}_arm64.deb"; }
check "an image of two packages is made" both
check "it is for both" equal "$(skopeo inspect --raw "oci:$work/both/martlet:martlet:$version" | jq -r '[.manifests[].platform.architecture] | join(" ")')" "amd64 arm64"
check "each machine gets its own" equal "$(skopeo inspect --config --override-arch arm64 "oci:$work/both/martlet:martlet:$version" | jq -r .architecture)" arm64
check "it is unpacked" unpack arm64 "$work/both"
root=$work/arm64/rootfs
machines() { find "$root" -type f -exec readelf -h {} + 2>/dev/null | sed -n 's/ *Machine: *//p' | sort -u; }
check "every program and library in it is for arm64" equal "$(machines)" AArch64
check "the program runs there, with Debian's C library" equal "$(qemu-aarch64-static -L "$root" "$root/usr/bin/martlet")" "martlet $version"
check "the launcher, too" equal "$(qemu-aarch64-static -L "$root" "$root/usr/local/bin/martlet" 2>&1 | head -1 | cut -c1-16)" "/usr/bin/martlet"
check "which may have the adapter" equal "$(getcap "$root/usr/local/bin/martlet")" "$root/usr/local/bin/martlet cap_net_admin=p"
check "the add-on has both packages" equal "$(cd "$work/both/home-assistant-addon" && echo martlet_*.deb)" "martlet_${version}_amd64.deb martlet_${version}_arm64.deb"
if [ "$(skopeo inspect --raw "oci:$folder/martlet:martlet:$version" | jq '[.manifests[] | select(.platform.architecture == "arm64")] | length')" = 1 ]; then
    echo "arm64, the gateway itself:"
    rm -rf --one-file-system "$root" "$work/arm64"
    check "the image's own is unpacked" unpack arm64
    check "every program and library in it is for arm64" equal "$(machines)" AArch64
    check "it is this version" equal "$(qemu-aarch64-static -L "$root" "$root/usr/bin/martlet" version | head -1)" "martlet $version"
    alone emulated || failures=$((failures + 1))
else
    echo "arm64: no package for it was in .build/deb, so that the gateway itself is not run (docs/installing.md says how it is made)"
fi
