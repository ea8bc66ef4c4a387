#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# keys.sh - prints the folder with the key pair that signs updates: $MARTLET_KEYS, or board/keys, which git ignores.
# A pair is made the first time. Images take updates of that pair only: keep update.key, and keep it to yourself.
set -euo pipefail
keys=${MARTLET_KEYS:-$(cd "$(dirname "$0")" && pwd)/keys}
if [ ! -s "$keys/update.key" ] || [ ! -s "$keys/update.crt" ]; then
    [ -z "${MARTLET_KEYS:-}" ] || { echo "keys.sh: no update.key and update.crt in $MARTLET_KEYS" >&2; exit 1; }
    mkdir -p "$keys"
    chmod 700 "$keys"
    # Ten years: a gateway may lie in a drawer for long, and one without the time must still take updates.
    openssl req -x509 -newkey rsa:3072 -nodes -keyout "$keys/update.key" -out "$keys/update.crt" -days 3650 \
        -subj '/CN=Martlet updates' -addext keyUsage=digitalSignature 2>/dev/null
    chmod 600 "$keys/update.key"
    echo "keys.sh: made the key pair that signs updates, in $keys: keep it" >&2
fi
echo "$keys"
