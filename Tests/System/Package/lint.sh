#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# lint.sh - what can be said of units and scripts without a package: seconds.
set -euo pipefail
root=$(cd "$(dirname "$0")/../../.." && pwd)
"$root/Tests/Rig/packages.sh" systemd shellcheck procps python3 python3-yaml
. "$root/Tests/System/Package/checks.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$root"/systemd/*.{service,socket,timer,path} "$work/"
# The program is not installed here.
sed -i 's#^ExecStart=.*#ExecStart=/bin/true#' "$work"/*.service

for unit in "$work"/*.{service,socket,timer,path}; do
    check "${unit##*/} is without a mistake" env SYSTEMD_UNIT_PATH="$work:" systemd-analyze verify --man=no "$unit"
done
# Of 100, where 0 is a service that can do nothing; docs/security.md says what is left, and why.
for line in "martlet.service 15" "martlet-controller@.service 15" "martlet-audit.service 5" "martlet-vacuum.service 5" \
    "martlet-update@.service 53" "martlet-radio@.service 11" "martlet-network@.service 7" "martlet-wifi-country.service 27"; do
    read -r unit limit <<<"$line"
    check "$unit can do little" systemd-analyze security --offline=true --threshold="$limit" "$work/$unit"
done
mkdir -p "$work/users/etc"
check "sysusers takes its lines" systemd-sysusers --root="$work/users" "$root/systemd/martlet.sysusers"
check "and makes the user" grep -q '^martlet:.*:/var/lib/martlet:/usr/sbin/nologin$' "$work/users/etc/passwd"
check "scripts are without a mistake" shellcheck -S warning -s bash -e SC1090 "$root"/board/deb/build.sh "$root"/Tests/{System/{Bare/test,Package/root,Package/test,Package/lint,Library/consumer},Rig/{swift,packages,testing-modules},Scenes/Documentation/symbols}.sh
check "what is read by them, too" shellcheck -S warning -s bash -e SC2154,SC2034,SC2054 "$root"/Tests/System/Package/{checks,manual,chroot,boot,guest}.sh
check "what the package runs, too" shellcheck -s sh "$root"/systemd/martlet-{generator,set-country} "$root"/board/deb/{postinst,postrm}
check "scripts of the container, too" shellcheck -S warning -x -s bash -e SC1090,SC1091,SC2016,SC2054 "$root"/board/oci/build.sh "$root"/board/home-assistant-addon/run.sh "$root"/Tests/System/Package/oci.sh
check "what is read by them, too" shellcheck -S warning -s bash -e SC2154,SC2034,SC2016 "$root"/Tests/System/Package/oci/*.sh
check "the add-on is as Home Assistant wants it" /usr/bin/python3 "$root/Tests/System/Package/addon/check.py" "$root/board/home-assistant-addon"
check "compose.yaml is YAML" /usr/bin/python3 -c 'import sys, yaml; yaml.safe_load(open(sys.argv[1]))["services"]["martlet"]' "$root/docs/compose.yaml"
finish
