# SPDX-License-Identifier: Apache-2.0
# The gateway in the image, by crun: / read-only, a volume, loopback. Read by oci.sh.
echo "run:"
bundle=$work/amd64
cp "$bundle/config.json" "$bundle/image.json"
mkdir -p "$work/etc/conf.d" "$work/state"
chown 880:880 "$work/state"
cat >"$work/etc/martlet.toml" <<END
[bluetooth]
controller = "tcp:127.0.0.1:7400"
[mqtt]
host = "127.0.0.1"
[clock]
require_sync = false
[[sensor]]
service = "heart_rate"
subscribe = ["heart_rate/heart_rate_measurement"]
[[sensor]]
address = "C4:7C:8D:00:11:04"
id = "greenhouse"
subscribe = ["environmental_sensing/temperature"]
END
chgrp -R 880 "$work/etc"
chmod -R u=rwX,g=rX,o= "$work/etc"

# as_docker, as_podman, as_nobody: what an ordinary user gets from --cap-drop ALL --cap-add NET_ADMIN: by Docker in the
# bounding set alone, by Podman in all; and without it, and with no-new-privileges. rights is a filter of jq.
as_docker='.process.capabilities = {bounding: ["CAP_NET_ADMIN"]} | .process.noNewPrivileges = false'
as_podman='.process.capabilities = ({} | .bounding = ["CAP_NET_ADMIN"] | .effective = .bounding | .permitted = .bounding | .inheritable = .bounding | .ambient = .bounding)'
as_nobody='.process.capabilities = {} | .process.noNewPrivileges = true'
# contained NAME RIGHTS ARGUMENT...: martlet ARGUMENT... in a container of the image.
contained() {
    local name=$1 rights=$2
    shift 2
    mkdir -p "$work/$name"
    ln -sfn "$bundle/rootfs" "$work/$name/rootfs"
    jq --arg root "$bundle/rootfs" --arg etc "$work/etc" --arg state "$work/state" "$rights"' | .process.terminal = false
        | .process.args = $arguments | .root = {path: $root, readonly: true} | del(.linux.resources)
        | .linux.namespaces |= map(select(.type != "network"))
        | .mounts |= map(select(.destination | IN("/var/lib/martlet", "/etc/resolv.conf", "/sys/fs/cgroup") | not))
        | .mounts += [{destination: "/var/lib/martlet", type: "bind", source: $state, options: ["rbind", "rw"]},
            {destination: "/etc/martlet", type: "bind", source: $etc, options: ["rbind", "ro"]},
            {destination: "/run/martlet", type: "tmpfs", source: "tmpfs", options: ["nosuid", "nodev", "mode=1777"]}]' \
        --argjson arguments "$(printf '%s\n' martlet "$@" | jq -R . | jq -s .)" "$bundle/image.json" >"$work/$name/config.json"
    crun --root "$work/crun" --cgroup-manager=disabled run --bundle "$work/$name" "$name"
}
inside() { crun --root "$work/crun" exec --user 880:880 "$1" martlet "${@:2}"; }
process() { crun --root "$work/crun" state "$1" | jq .pid; }
runs() { [ "$(process "$1" 2>/dev/null || echo 0)" -gt 0 ] && inside "$1" status; }
fact() { sed -n "s/^$2:[[:space:]]*//p" "/proc/$(process "$1")/status"; }
audit() { contained audit "$as_nobody" audit --json; }
tree() { find "$bundle/rootfs" -printf '%P %s %T@ %m %U\n' | sort; }
tree >"$work/tree"

check "the program starts with all rights of Docker" contained version "$as_docker" version
check "with those of Podman" contained version "$as_podman" version
check "and with none" contained version "$as_nobody" version
check "its configuration has no mistake" contained check "$as_nobody" check-config
chmod 700 "$work/etc"
denied() { ! contained check "$as_nobody" check-config 2>&1 | grep -v 'ermission denied' | grep .; }
check "one that it may not read is told" denied
chmod 750 "$work/etc"

background radio contained radio "$as_nobody" virtual-radio --listen tcp:7400
check "there is a radio, in a container" eventually 20 listens 7400
start_broker
consume -c -i consumer

background gateway contained gateway "$as_docker" run
check "the gateway runs" eventually 20 runs gateway
check "as an ordinary user" equal "$(fact gateway Uid)" "$(printf '880\t880\t880\t880')"
check "whose one right is NET_ADMIN" equal "$(fact gateway CapEff)" 0000000000001000
check "readings arrive" eventually 60 arrived 10
check "of both sensors" eventually 60 grep -q '^martlet/dev/greenhouse/state' "$work/consumer.log"
check "it hears that its configuration is to be read" crun --root "$work/crun" kill gateway HUP
check "and reads it" eventually 20 grep -q 'configuration reloaded' "$work/gateway.log"

# The broker goes away, and readings gather; the gateway is stopped with them.
end "$broker"
before=$(numbers | wc -l)
buffered() { [ "$(inside gateway buffer stats --json | json buffered)" -gt 5 ]; }
check "without a broker readings are kept" eventually 60 buffered
check "SIGTERM stops it within five seconds" stops "$(process gateway)"
wait "$gateway" && status=0 || status=$?
check "in order" equal "$status" 0
check "it said so" grep -q 'stopped' "$work/gateway.log"
check "the books are written, and balance" audit
received=$(audit | json received)
check "more is in the journal than the broker has" test "${received:-0}" -gt "$before"

start_broker
background gateway contained gateway "$as_nobody" run
check "it starts again with the same volume, with no rights at all" eventually 20 runs gateway
check "indeed with none" equal "$(fact gateway CapEff) $(fact gateway NoNewPrivs)" "0000000000000000 1"
check "all that was kept arrives, and more" eventually 90 arrived $((${received:-0} + 5))
check "and none is missing between" eventually 60 complete
check "it stops" stops "$(process gateway)"
wait "$gateway" || :
received=$(audit | json received)
delivered=$(audit | json delivered)
check "no reading is lost: as many as were received have arrived, once numbered" equal "$(numbers | wc -l)" "$delivered"
check "each of them by its own number" eventually 5 test "$(numbers | cut -d' ' -f1 | sort -u | wc -l)" = 1
check "the books still balance" audit
check "what was not delivered is kept" test "$((received - delivered))" -ge 0

hci() {
    background gateway contained gateway "$1" run --controller hci0
    eventually 20 grep -q "$2" "$work/gateway.log"
    stops "$(process gateway)"
    wait "$gateway" || :
}
: >"$work/gateway.log"
# The kernel of the test may have Bluetooth, or not; it has no adapter for a network namespace of ours either way.
check "what it says in a network of its own is what the page says" hci "$as_docker" 'this kernel has no Bluetooth'
check "nothing has been written but in the volume" diff "$work/tree" <(tree)
end "$radio"
end "$consumer"
end "$broker"
