#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# run-guest.sh [options] CMD [ARG...]   - run CMD in a QEMU guest with a real Linux Bluetooth stack.
#   -u PORT      give the guest a UART wired to the H4 server on 127.0.0.1:PORT; /dev/ttyBT0, ... (at most 8)
#   -d DIR       directory seen read-write as /host in the guest, where CMD starts (default: .)
#   -f PORT      let the guest reach this machine's 127.0.0.1:PORT as 10.0.2.100:PORT; nothing else
#   -m MB        memory (768)      -t SECONDS  limit (300)      -k DIR  keep the guest's dmesg and console log in DIR
# The guest's root is this machine's own / (read-only by 9p, a tmpfs over it): every installed program is there, and
# what CMD writes outside /host is gone afterwards. CMD's stdout, stderr and exit status are the script's; 124: time
# limit, 125: the guest died without a status.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
guest=$(cd "$here/../../.." && pwd)/.rig/guest
uarts=() forwards=() directory=. memory=768 limit=300 keep=
while getopts u:d:f:m:t:k: option; do
    case $option in
        u) uarts+=("$OPTARG") ;;
        d) directory=$OPTARG ;;
        f) forwards+=("$OPTARG") ;;
        m) memory=$OPTARG ;;
        t) limit=$OPTARG ;;
        k) keep=$OPTARG ;;
        *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || { echo "run-guest.sh: no command" >&2; exit 2; }

control=$(mktemp -d)
trap 'rm -rf "$control"' EXIT
cp "$here/guest-main" "$here/guest-lib.sh" "$control/"
echo "$guest" >"$control/guest"
if [ $# -eq 1 ]; then printf '%s\n' "$1" >"$control/cmd"; else printf '%q ' "$@" >"$control/cmd"; fi

qemu=(qemu-system-x86_64 -nodefaults -no-user-config -display none -no-reboot -M q35 -accel tcg,thread=multi
    -m "$memory" -kernel "$guest/vmlinux" -initrd "$guest/initrd.cpio"
    -append "console=ttyS0 quiet loglevel=4 panic=-1 8250.nr_uarts=16"
    -serial "file:$control/console"
    -virtfs "local,path=/,mount_tag=root,security_model=none,readonly=on,multidevs=remap"
    -virtfs "local,path=$control,mount_tag=rig,security_model=none"
    -virtfs "local,path=$(cd "$directory" && pwd),mount_tag=host,security_model=none,multidevs=remap"
    # stdout and stderr go by two virtio-serial ports to descriptors 3 and 4
    -add-fd fd=3,set=1 -add-fd fd=4,set=2 -device virtio-serial-pci
    -chardev file,id=o,path=/dev/fdset/1,append=on -device virtserialport,chardev=o,name=out
    -chardev file,id=e,path=/dev/fdset/2,append=on -device virtserialport,chardev=e,name=err)
number=0
for port in "${uarts[@]}"; do
    # nodelay: the UART hands octets over one by one, Nagle would hold them back; reconnect: a server that was killed comes again
    qemu+=(-chardev "socket,id=bt$number,host=127.0.0.1,port=$port,nodelay=on,reconnect=1"
        -device "pci-serial,chardev=bt$number,addr=$(printf 0x%x $((16 + number)))")
    number=$((number + 1))
done
if [ ${#forwards[@]} -gt 0 ]; then
    touch "$control/net"
    network="user,id=n0,restrict=on,ipv6=off"
    for port in "${forwards[@]}"; do
        network+=",guestfwd=tcp:10.0.2.100:$port-cmd:sh -c 'exec busybox nc 127.0.0.1 $port 2>/dev/null'"
    done
    qemu+=(-netdev "$network" -device virtio-net-pci,netdev=n0,romfile=)
fi

status=0
timeout "$limit" "${qemu[@]}" 3>&1 4>&2 </dev/null >"$control/qemu" 2>&1 &
machine=$!
# A test that ends early takes its guest with it.
trap 'kill $machine 2>/dev/null' TERM INT
wait $machine || status=$?
if [ -n "$keep" ]; then
    mkdir -p "$keep"
    for file in console dmesg qemu; do cp "$control/$file" "$keep/" 2>/dev/null || :; done
fi
if [ -s "$control/status" ]; then exit "$(cat "$control/status")"; fi
cat "$control/qemu" "$control/console" >&2 2>/dev/null || :
[ $status -eq 124 ] && exit 124
exit 125
