#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# run.sh - the gateway as an add-on of Home Assistant: makes its configuration of the add-on's options and of the broker that
# the Supervisor names, then becomes the gateway, as the user martlet.
set -euo pipefail
umask 077
data=${MARTLET_DATA:-/data}
extra=${MARTLET_EXTRA:-/config}
run=${MARTLET_RUN:-/run/martlet}
supervisor=${MARTLET_SUPERVISOR:-http://supervisor}
bus=${MARTLET_BUS:-/run/dbus/system_bus_socket}
options=$data/options.json
etc=$run/etc

say() { echo "martlet app: $*" >&2; }
fail() { say "$*"; exit 1; }

jq -e 'type == "object"' "$options" >/dev/null || fail "$options has no options"
option() { jq -r --arg key "$1" '.[$key] // empty' "$options"; }

# The broker: what the options say, else what the Supervisor knows, else none. A password goes by standard input and files,
# not where other processes see it.
broker='{}'
if [ -n "$(option mqtt_host)" ]; then
    broker=$(jq '{host: .mqtt_host, port: (.mqtt_port // (if .mqtt_tls then 8883 else 1883 end)),
        ssl: (.mqtt_tls // false), username: .mqtt_username, password: .mqtt_password}' "$options")
elif [ -n "${SUPERVISOR_TOKEN:-}" ]; then
    # The Supervisor may be starting as we are.
    if answer=$(curl --silent --show-error --retry 5 --retry-connrefused --max-time 10 --config - \
        "$supervisor/services/mqtt" <<<"header = \"Authorization: Bearer $SUPERVISOR_TOKEN\""); then
        if jq -e '.result == "ok" and (.data.host | type == "string")' >/dev/null 2>&1 <<<"$answer"; then
            broker=$(jq '.data' <<<"$answer")
        else
            say "Home Assistant has no MQTT broker: install the app Mosquitto broker, or set mqtt_host. Readings are collected and kept."
        fi
    else
        say "the Supervisor does not answer at $supervisor. Readings are collected and kept."
    fi
else
    say "there is no Supervisor; set mqtt_host. Readings are collected and kept."
fi

rm -rf "$etc"
mkdir -p "$etc" "$data/martlet"
# A JSON string is a TOML string, but for DEL.
jq -r --argjson broker "$broker" --arg data "$data" --arg run "$run" '
    def text: tojson | gsub("\u007f"; "\\u007f");
    def line($key; $value): if $value == null or $value == "" then empty else "\($key) = \($value | text)" end;
    def list($key; $value): if $value == null or $value == "" then empty
        else "\($key) = [\([$value | split(",")[] | gsub("^\\s+|\\s+$"; "") | select(. != "") | text] | join(", "))]" end;
    "# Written by the app at each start, of its options.",
    "[bluetooth]",
    line("controller"; .controller // "hci0"),
    line("state_directory"; $data + "/martlet"),
    "[journal]",
    line("path"; $data + "/martlet/journal.db"),
    "[control]",
    line("socket"; $run + "/control.sock"),
    (if $broker.host then
        "[mqtt]",
        line("host"; $broker.host),
        line("port"; ($broker.port // 1883) | tonumber),
        line("username"; $broker.username),
        (if ($broker.password // "") != "" then line("password_file"; $run + "/etc/mqtt.password") else empty end),
        "[mqtt.tls]",
        line("enabled"; $broker.ssl // false)
    else empty end),
    "[home_assistant]",
    line("discovery"; .discovery // "device"),
    (.sensors // [] | to_entries[] | .key as $place | .value |
        "[[sensor]]",
        line("id"; .id), line("name"; .name), line("address"; .address), line("service"; .service),
        line("family"; .family), line("model"; .model), line("profile"; .profile),
        (if (.bindkey // "") != "" then line("bindkey_file"; "\($run)/etc/\($place).bindkey") else empty end),
        (if (.passkey // "") != "" then line("passkey_file"; "\($run)/etc/\($place).passkey") else empty end),
        list("subscribe"; .subscribe), list("read"; .read), line("read_every_s"; .read_every_s))
    ' "$options" >"$etc/martlet.toml"
jq -j '.password // empty' <<<"$broker" >"$etc/mqtt.password"
for secret in bindkey passkey; do
    for place in $(jq -r --arg key $secret '.sensors // [] | to_entries[] | select((.value[$key] // "") != "") | .key' "$options"); do
        jq -j --arg key $secret --argjson place "$place" '.sensors[$place][$key]' "$options" >"$etc/$place.$secret"
    done
done

# Everything else that a configuration may say: files of the add-on's own configuration folder.
for folder in conf.d decoders.d; do
    if [ -d "$extra/$folder" ]; then
        mkdir "$etc/$folder"
        find "$extra/$folder" -maxdepth 1 -name '*.toml' -exec cp {} "$etc/$folder/" \;
    fi
done

# bluetoothd has the adapter, and only one may: with its power off it lets go. Home Assistant must not use this adapter.
controller=$(option controller)
controller=${controller:-hci0}
groups=--clear-groups
case $controller in
    hci*)
        if [ -S "$bus" ]; then
            dbus-send --bus="unix:path=$bus" --print-reply --reply-timeout=5000 --dest=org.bluez "/org/bluez/$controller" \
                org.freedesktop.DBus.Properties.Set string:org.bluez.Adapter1 string:Powered variant:boolean:false >/dev/null 2>&1 ||
                say "bluetoothd did not switch $controller off, or does not know it"
        fi
        ;;
    serial:*)
        device=${controller#serial:}
        device=${device%%,*}
        [ -e "$device" ] || fail "$device is not there: see the option controller of the app"
        groups=--groups=$(stat -L -c %g "$device")
        ;;
esac

chown -R martlet:martlet "$run" "$data/martlet"
as=(setpriv --reuid martlet --regid martlet "$groups" "--inh-caps=-all,+net_admin" "--ambient-caps=-all,+net_admin"
    "--bounding-set=-all,+net_admin" --no-new-privs)
"${as[@]}" martlet check-config --config "$etc/martlet.toml" ||
    fail "the options make a configuration with a mistake, see above"
exec "${as[@]}" martlet run --config "$etc/martlet.toml" --log-level "$(option log_level | grep . || echo info)"
