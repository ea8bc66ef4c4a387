# SPDX-License-Identifier: Apache-2.0
# The commands of docs/containers.md as they stand there, by Podman, which has Docker's words. Read by oci.sh.
echo "page:"
place=$work/page
mkdir -p "$place/.build/oci"
cp "$archive" "$repository/docs/compose.yaml" "$place/.build/oci/"
"$here/commands.py" "$repository/docs/containers.md" >"$work/page.commands"
check "page and compose.yaml are of this version" equal \
    "$(cat "$repository/docs/containers.md" "$repository/docs/compose.yaml" | grep -Eo '(martlet:|martlet-|VERSION=)[0-9]+\.[0-9]+\.[0-9]+' | sed 's/.*[:=-]//' | sort -u)" "$version"
cat >"$work/page.sh" <<'END'
set -euo pipefail
. "$here/checks.sh"
. "$here/oci/gateway.sh"
sudo() { "$@"; }
# A container that has just been started answers after a moment.
docker() {
    case $1 in
        compose) shift; "$rig/venv-compose/bin/podman-compose" "$@" ;;
        exec) eventually 30 podman "$@" ;;
        *) podman "$@" ;;
    esac
    # What only a test has: a radio by TCP, and no time service. Beside the page's configuration, before it is read.
    if [ "$1" = volume ]; then
        printf '[bluetooth]\ncontroller = "tcp:127.0.0.1:7400"\n[clock]\nrequire_sync = false\n' >martlet/conf.d/test.toml
        chgrp 880 martlet/conf.d martlet/conf.d/test.toml
    fi
    # Between the commands, as somebody who follows the page looks on.
    if [ "$1 ${2:-}" = "run -d" ]; then
        podman inspect martlet >"$work/inspect.json"
        eventually 60 arrived 5
        podman healthcheck run martlet
        grep CapEff "/proc/$(podman inspect -f '{{.State.Pid}}' martlet)/status" >"$work/caps"
    fi
    if [ "$1 ${2:-}" = "compose up" ] || [ "$1 ${2:-}" = "up -d" ]; then
        numbers | wc -l >"$work/earlier"
        eventually 60 arrived $(($(cat "$work/earlier") + 5))
        podman inspect martlet >"$work/compose.json"
    fi
}
cd "$place"
mkdir -p .build/oci/martlet/conf.d
set -v
. "$work/page.commands"
END
skopeo copy -q "oci-archive:$archive" "oci:$work/radio:martlet"
umoci unpack --image "$work/radio:martlet" "$work/radio-root"
background radio "$work/radio-root/rootfs/usr/lib64/ld-linux-x86-64.so.2" --library-path "$work/radio-root/rootfs/usr/lib/x86_64-linux-gnu" \
    "$work/radio-root/rootfs/usr/bin/martlet" virtual-radio --listen tcp:7400
rm -f "$work/consumer.log"
start_broker
consume -c -i page
check "there is a radio" eventually 20 listens 7400
export rig here work place repository version archive broker radio consumer
check "every command of the page does what it says" bash "$work/page.sh"
fact() { jq -r ".[0] | $1" "$work/$2.json"; }
for way in inspect compose; do
    check "$way: the network is the host's" equal "$(fact .HostConfig.NetworkMode $way)" host
    check "$way: / is read-only" equal "$(fact .HostConfig.ReadonlyRootfs $way)" true
    check "$way: its only right is NET_ADMIN" equal "$(fact '.EffectiveCaps | join(" ")' $way)" CAP_NET_ADMIN
    check "$way: the user is no root" equal "$(fact .Config.User $way)" 880:880
    check "$way: readings are in a volume" equal "$(fact '.Mounts[] | select(.Destination == "/var/lib/martlet") | .Name' $way)" martlet
done
check "the gateway has it" equal "$(cat "$work/caps")" "$(printf 'CapEff:\t0000000000001000')"
check "nothing runs any more" equal "$(podman ps -q)" ""
check "the volume is still there" podman volume inspect martlet
check "with both, each reading arrived" complete
end "$radio"
end "$consumer"
end "$broker"
