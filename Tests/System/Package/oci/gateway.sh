# SPDX-License-Identifier: Apache-2.0
# What parts that run the gateway share: a radio, a broker, and a consumer that misses nothing. Read by oci.sh.

# background NAME COMMAND...: its output is in $work/NAME.log, its process in $NAME.
background() {
    local name=$1
    shift
    "$@" >>"$work/$name.log" 2>&1 &
    printf -v "$name" %s $!
}
end() { kill "$1" 2>/dev/null && wait "$1" 2>/dev/null || :; }
# listens PORT
listens() { (: <"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

start_broker() {
    # Who listens with a session of a name misses nothing while the broker is away.
    [ -e "$work/mosquitto.conf" ] || printf 'listener 1883 127.0.0.1\nallow_anonymous true\nuser root\npersistence true\npersistence_location %s/\n' "$work" >"$work/mosquitto.conf"
    background broker mosquitto -c "$work/mosquitto.conf"
    eventually 10 listens 1883
}
# consume FILE: every message of sensors, as topic and payload.
consume() { background consumer mosquitto_sub -v -q 1 -t 'martlet/dev/+/+' "$@"; }
readings() { grep -E '/(state|history) ' "$work/consumer.log"; }
# A message of history holds several.
numbers() { readings | grep -o '"gw":"[^"]*","n":[0-9]*' | sed 's/"gw":"\(.*\)","n":/\1 /' | sort -u; }
arrived() { [ "$(numbers | wc -l)" -ge "$1" ]; }
# complete: one gateway, and no number of its readings is missing.
complete() {
    local count
    count=$(numbers | wc -l)
    equal "$(numbers | cut -d' ' -f1 | sort -u | wc -l)" 1 && equal "$(numbers | cut -d' ' -f2 | sort -n | head -1)" 1 &&
        equal "$(numbers | cut -d' ' -f2 | sort -n | tail -1)" "$count"
}
# stops PROCESS: on SIGTERM, within five seconds.
stops() {
    local began=$EPOCHREALTIME end
    kill -TERM "$1"
    while kill -0 "$1" 2>/dev/null && [ -e "/proc/$1/exe" ]; do sleep 0.05; done
    end=$EPOCHREALTIME
    echo "after $(((${end/./} - ${began/./}) / 1000)) ms"
    [ $((${end/./} - ${began/./})) -lt 5000000 ]
}
