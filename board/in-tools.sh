#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# in-tools.sh COMMAND - runs COMMAND in the chroot of the tools (tools.sh); .build/board is /build there, the repository
# /source. COMMAND becomes this process when it begins with exec.
set -euo pipefail
# shellcheck source=board/lib.sh
. "$(dirname "$0")/lib.sh"
in_chroot "$rig/tools" "$1"
