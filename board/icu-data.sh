#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# icu-data.sh FOLDER - FOLDER/icudata.o of this machine's Swift, for its programs to be linked with; see icu_data.py.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=$1
swift=$(swift -print-target-info | sed -n 's/.*"runtimeResourcePath" *: *"\(.*\)".*/\1/p')
library=${swift}_static/linux/lib_FoundationICU.a
[ -r "$library" ] || { echo "icu-data.sh: $library is missing: this Swift has no static Foundation" >&2; exit 1; }
# Not by what is newer: a Swift that is unpacked keeps the dates of the day on which it was made.
stamp=$(stat -c '%n %s %Y' "$library" && cat "$here/icu_data.py" "$here/icu-data.sh" | cksum)
[ "$stamp" != "$(cat "$folder/made" 2>/dev/null)" ] || exit 0
"$here/../Tests/Rig/packages.sh" gcc python3
python3 "$here/icu_data.py" "$library" "$folder"
(cd "$folder" && gcc -c -o icudata.o icudata.s)
echo "$stamp" >"$folder/made"
