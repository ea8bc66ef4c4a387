# SPDX-License-Identifier: Apache-2.0
# The add-on, as the Supervisor starts it: /data/options.json, the token, the network of the host. Read by oci.sh.
data=$work/data
password='a "word" = with # all'
mkdir -p "$data"
touch "$work/passwords"
mosquitto_passwd -b "$work/passwords" addons "$password"
chmod 644 "$work/passwords"
printf 'listener 1883 127.0.0.1\nallow_anonymous false\npassword_file %s\npersistence false\nuser root\n' "$work/passwords" >"$work/mosquitto.conf"
start_broker
rm -f "$work/consumer.log"
consume -c -i addon -u addons -P "$password"
mkdir -p "$work/config/conf.d"
printf '[clock]\nrequire_sync = false\n' >"$work/config/conf.d/test.toml"
background radio "$work/amd64/rootfs/usr/lib64/ld-linux-x86-64.so.2" --library-path "$work/amd64/rootfs/usr/lib/x86_64-linux-gnu" \
    "$work/amd64/rootfs/usr/bin/martlet" virtual-radio --listen tcp:7400
check "there is a radio" eventually 20 listens 7400

# supervised ANSWER OPTIONS: a Supervisor with that answer, and the add-on with these options.
supervised() {
    [ -z "${supervisor:-}" ] || end "$supervisor"
    : >"$work/asked"
    background supervisor /usr/bin/python3 "$here/addon/supervisor.py" 7500 token "$1" "$work/asked"
    eventually 10 listens 7500
    printf '%s' "$2" >"$data/options.json"
    podman rm -f -i addon >/dev/null 2>&1 || :
    podman run -d --name addon --network host --cap-add NET_ADMIN -e SUPERVISOR_TOKEN=token -e MARTLET_SUPERVISOR=http://127.0.0.1:7500 \
        -v "$data:/data" -v "$work/config:/config:ro" addon >/dev/null
}
pid() { podman inspect -f '{{.State.Pid}}' addon; }
logged() { podman logs addon 2>&1 | grep -q "$1"; }
ended() { [ "$(podman inspect -f '{{.State.Running}}' addon)" = false ]; }
status() { podman exec addon martlet status --json; }
gateway() { grep -qx martlet "/proc/$(pid)/comm"; }
fact() { sed -n "s/^$1:[[:space:]]*//p" "/proc/$(pid)/status"; }
sensors='"sensors":[{"id":"strap","service":"heart_rate","subscribe":"heart_rate/heart_rate_measurement"},{"address":"C4:7C:8D:00:11:04","id":"greenhouse","subscribe":"environmental_sensing/temperature, environmental_sensing/humidity"}]'
options='{"controller":"tcp:127.0.0.1:7400","log_level":"info","discovery":"device",'$sensors'}'
service=$(jq -nc --arg password "$password" '{addon: "core_mosquitto", host: "127.0.0.1", port: 1883, ssl: false, protocol: "3.1.1", username: "addons", password: $password}')

supervised "$service" "$options"
check "the options become the gateway" eventually 30 gateway
check "readings arrive at the Supervisor's broker" eventually 60 arrived 10
check "of the sensors that the options name" eventually 60 grep -q '^martlet/dev/strap/state' "$work/consumer.log"
check "with all that a list names" eventually 60 grep -q '^martlet/dev/greenhouse/state.*humidity' "$work/consumer.log"
check "the Supervisor was asked once, with the token" equal "$(cat "$work/asked")" "/services/mqtt 200"
check "it is an ordinary user" equal "$(fact Uid)" "$(printf '880\t880\t880\t880')"
check "whose one right is NET_ADMIN" equal "$(fact CapEff) $(fact CapBnd) $(fact NoNewPrivs)" "0000000000001000 0000000000001000 1"
check "nobody sees the password" test -z "$(grep -al 'a "wor[d]"' /proc/[0-9]*/cmdline | grep -v "/$consumer/" | grep -v self || :)"
check "nor is it in the configuration" equal "$(podman exec addon grep -c '# all' /run/martlet/etc/martlet.toml)" 0
check "Home Assistant is told of the sensors" equal "$(mosquitto_sub -u addons -P "$password" -t 'homeassistant/device/#' -C 1 -W 20 | grep -c '"dev')" 1
check "the gateway answers" status
check "it stops within five seconds" stops "$(pid)"

supervised - "$options"
check "without a broker it collects all the same" eventually 30 gateway
check "and says so" eventually 10 logged 'has no MQTT broker'
kept() { [ "$(podman exec addon martlet buffer stats --json | json buffered)" -gt 3 ]; }
check "readings are kept" eventually 60 kept
podman stop addon >/dev/null

supervised "$service" "$(jq -c --arg password "$password" '. + {mqtt_host: "127.0.0.1", mqtt_username: "addons", mqtt_password: $password}' <<<"$options")"
check "a broker of the options goes before" eventually 30 gateway
check "the Supervisor is not asked" equal "$(cat "$work/asked")" ""
check "what was kept arrives" eventually 60 grep -q '^martlet/dev/[a-z]*/history' "$work/consumer.log"
check "no reading is lost" eventually 60 complete
podman stop addon >/dev/null

supervised "$service" "$(jq -c '.sensors[0].subscribe = "heart_rate/pulse"' <<<"$options")"
check "a mistake in the options ends it" eventually 30 ended
check "which is told" logged 'options make a configuration with a mistake'
podman rm -f addon >/dev/null
end "$radio"
end "$consumer"
end "$broker"
end "$supervisor"
