#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# build.sh ARCH BINARY TOOL OUTPUT - make martlet_VERSION_ARCH.deb in the folder OUTPUT from a program that is built.
# ARCH is Debian's name; TOOL is a martlet of the same version that runs here, for the manual page and the completions.
# The package depends on the commit and the program alone: the same of these, the same octets.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
[ $# -eq 4 ] || { sed -n 3,4p "$0" >&2; exit 2; }
architecture=$1 binary=$(realpath "$2") tool=$(realpath "$3")
mkdir -p "$4"
output=$(realpath "$4")

version=$(sed -n 's/.*current = "\(.*\)"/\1/p' "$root/Sources/Gateway/GatewayVersion.swift")
[ "$("$tool" version)" = "martlet $version" ] || { echo "$tool is not martlet $version" >&2; exit 1; }
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct)}

toolchain=$("$here/toolchain.sh")

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
umask 022
export LC_ALL=C.UTF-8
mkdir -p debian/martlet
cp "$here/control" "$here/copyright" debian/
echo 13 >debian/compat
sed -i '/debhelper-compat/d' debian/control
cp "$here/postinst" debian/martlet.postinst
cp "$here/postrm" debian/martlet.postrm
cp "$here/lintian-overrides" debian/martlet.lintian-overrides
"$here/changelog.py" "$root/CHANGELOG.md" "$version" "$SOURCE_DATE_EPOCH" >debian/changelog
cp "$root"/systemd/martlet.{sysusers,tmpfiles} debian/
export DEB_BUILD_OPTIONS=
eval "$(dpkg-architecture -a "$architecture" -s 2>/dev/null)"
package=debian/martlet

install -D "$binary" "$package/usr/bin/martlet"
# The one of the Swift toolchain knows every architecture. Two builds of a commit differ in what the compiler notes for its
# own next run, and so in the build's id; in nothing else.
"$toolchain/bin/llvm-objcopy" --strip-all --remove-section .swift_modhash \
    --remove-section .note.gnu.build-id "$package/usr/bin/martlet"
# Where this debhelper looks for them; they move to /usr at the end.
mkdir -p "$package/lib/systemd/system"
install -m 644 "$root"/systemd/*.{service,socket,timer,path} "$package/lib/systemd/system/"
install -D -m 644 "$root/systemd/network.conf" "$package/lib/systemd/system/martlet.service.d/network.conf"
install -D -m 644 "$here/martlet.toml" "$package/etc/martlet/martlet.toml"
mkdir -p "$package/etc/martlet/conf.d"
install -D "$root/systemd/martlet-generator" "$package/usr/lib/systemd/system-generators/martlet-generator"
install -D "$root/systemd/martlet-set-country" "$package/usr/lib/martlet/set-country"
install -D -m 644 "$root/systemd/90-martlet.rules" "$package/usr/lib/udev/rules.d/90-martlet.rules"
examples=$package/usr/share/doc/martlet/examples
install -D -m 644 "$root/docs/martlet.toml" "$examples/martlet.toml"
install -D -m 644 "$here/serial.conf" "$examples/serial.conf"
"$here/notices.py" "$root" "$toolchain" >"$package/usr/share/doc/martlet/NOTICES"

"$tool" --experimental-dump-help >help.json
"$here/manual.py" program help.json "$version" "$SOURCE_DATE_EPOCH" >martlet.1
"$here/manual.py" configuration "$root/docs/configuration.md" "$version" "$SOURCE_DATE_EPOCH" >martlet.toml.5
for shell in bash zsh fish; do
    case $shell in
        bash) file=usr/share/bash-completion/completions/martlet ;;
        zsh) file=usr/share/zsh/vendor-completions/_martlet ;;
        fish) file=usr/share/fish/vendor_completions.d/martlet.fish ;;
    esac
    mkdir -p "$package/${file%/*}"
    # Nobody runs them: the line that would say by what is not wanted.
    "$tool" --generate-completion-script $shell | sed '1{/^#!/d}' >"$package/$file"
done

dh_installchangelogs
dh_installdocs
dh_installman martlet.1 martlet.toml.5
dh_installsysusers
dh_installtmpfiles
# Installing takes the controller from nobody: who wants the gateway says `systemctl enable --now martlet`. An upgrade
# restarts one that runs.
dh_installsystemd --no-enable martlet.service
mv "$package/lib/systemd/system" "$package/usr/lib/systemd/"
rmdir "$package/lib/systemd" "$package/lib"
dh_lintian
dh_compress
dh_fixperms
dh_installdeb
depends=$("$here/depends.py" "$architecture" "$package/usr/bin/martlet")
dh_gencontrol -- "-Vmartlet:Depends=$depends"
dh_md5sums
dh_builddeb --destdir="$output" -- -Zxz
echo "$output/martlet_${version}_$architecture.deb"
