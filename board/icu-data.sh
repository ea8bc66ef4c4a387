#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# icu-data.sh FOLDER - FOLDER/icudata.o of this machine's Swift, for its programs to be linked with; see icu_data.py.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=$1
swift=$(swift -print-target-info | sed -n 's/.*"runtimeResourcePath" *: *"\(.*\)".*/\1/p')
library=${swift}_static/linux/lib_FoundationICU.a
[ -r "$library" ] || { echo "icu-data.sh: $library is missing: this Swift has no static Foundation" >&2; exit 1; }
made=$folder/icudata.o
if [ -e "$made" ] && [ "$made" -nt "$library" ] && [ "$made" -nt "$here/icu_data.py" ]; then exit 0; fi
"$here/../Tests/Rig/packages.sh" gcc python3
python3 "$here/icu_data.py" "$library" "$folder"
(cd "$folder" && gcc -c -o icudata.o icudata.s)
