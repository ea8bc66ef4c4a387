# SPDX-License-Identifier: Apache-2.0
# The checks in the guest, by systemd's own oneshot.
export LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive
. /root/checks.sh
property() { systemctl show -P "$2" "$1"; }
is_active() { equal "$(property martlet.service ActiveState)/$(property martlet.service SubState)" active/running; }
received() { martlet buffer stats --json | json received; }
has_received() { local count; count=$(received) && [ "${count:-0}" -gt "$1" ]; }
says() { property martlet.service StatusText | grep -q "$1"; }
is_another() { [ "$(property martlet.service MainPID)" != "$1" ] && is_active; }
logged() { journalctl -q -b -u martlet.service -g "$1" | grep -q .; }
ask_helper() {
    setpriv --reuid "$1" --clear-groups --regid "$(id -g "$1")" perl -MSocket -e '
        my ($helper, $answer);
        socket($helper, AF_UNIX, SOCK_SEQPACKET, 0) && connect($helper, pack_sockaddr_un("/run/martlet/controller.sock"))
            && defined(send($helper, "hci7", 0)) && defined(recv($helper, $answer, 2048, 0)) or die "$!\n";
        print $answer'
}
# There is no Bluetooth in this kernel.
helper_answers() { ask_helper "$1" | grep -q '^notFound$'; }

check "the service is ready" eventually 60 is_active
check "by its own word" equal "$(property martlet.service Type)" notify
check "it says what it does" eventually 90 says "collecting from 1 of 1 sensors; not connected to 127.0.0.1:1"
check "it is asked over the socket that systemd holds" equal "$(property martlet.socket SubState)/$(stat -c '%a %U:%G' /run/martlet/control.sock)" "running/660 martlet:martlet"
check "and answers" eventually 30 martlet status
check "the gateway has no privileges" grep -q "^CapEff:.0000000000000000$" "/proc/$(property martlet.service MainPID)/status"
check "readings are collected" eventually 60 has_received 3
check "root's password for the broker is the gateway's alone" equal \
    "$(stat -c %a /run/credentials/martlet.service/mqtt.password) $(cat /run/credentials/martlet.service/mqtt.password)" "400 secret"
check "bluetoothd is masked as long as the gateway is enabled" equal "$(property bluetooth.service LoadState)" masked
check "a reload is heard" systemctl reload martlet
check "and done" eventually 30 logged "configuration reloaded"
check "the audit finds all readings" systemctl start martlet-audit.service
check "the timers of audit and vacuum wait" equal "$(property martlet-audit.timer SubState) $(property martlet-vacuum.timer SubState)" "waiting waiting"
check "space is looked after, beside the running gateway" systemctl start martlet-vacuum.service

process=$(property martlet.service MainPID)
kill -STOP "$process"
check "a gateway that hangs is killed and started again by the watchdog" eventually 90 is_another "$process"
check "it was the watchdog" logged "Watchdog timeout"
check "and answers again" eventually 60 martlet status
before=$(received)
process=$(property martlet.service MainPID)

check "a new version is installed over it" dpkg --force-confdef -i /root/martlet.deb
check "and runs" eventually 60 is_another "$process"
check "a helper waits to open its controller" equal "$(property martlet-controller.socket SubState)/$(stat -c '%a %U:%G' /run/martlet/controller.sock)" "listening/600 martlet:martlet"
check "in a folder where nobody but root can put anything" equal "$(stat -c '%a %U:%G' /run/martlet)" "750 root:martlet"
check "and runs, in its sandbox, for who may ask" eventually 60 helper_answers martlet
check "who else does not get to it" test "$(ask_helper nobody 2>&1)" = "Permission denied"
check "with all readings" eventually 60 has_received "$((before - 1))"
check "the books balance" martlet audit

check "it stops when it is stopped" systemctl stop martlet.service
check "in order" logged "stopped"
check "a question does not start it again" test "$(martlet status >/dev/null 2>&1; property martlet.service ActiveState)" = inactive
systemctl --quiet disable martlet.service
check "a disabled gateway leaves bluetoothd alone" equal "$(property bluetooth.service LoadState)" not-found
check "nothing has failed" equal "$(systemctl --failed --plain --no-legend)" ""
check "it is purged" dpkg -P martlet
check "nothing of it is left" equal "$(find /etc /usr /var/lib /run -xdev -name '*martlet*' -not -path '/run/systemd/*' -not -path '/var/lib/dpkg/*' -not -path '/run/udev/*')" ""
check "no unit of it is known" equal "$(systemctl list-units --all --plain --no-legend 'martlet*' | xargs)" ""
echo >/rig/done
systemctl --no-block poweroff
