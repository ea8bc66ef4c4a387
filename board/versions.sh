# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034
# What the image is made of. A newer Swift in sid replaces the older one there: change both lines when it does.

target_suite=trixie
compiler_suite=sid
swift_version=6.2.3-1+b1
swift_release=6.2.3
