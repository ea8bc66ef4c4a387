#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes sparkplug_b.pb.swift of sparkplug_b.proto: with protoc (Debian: protobuf-compiler) and the protoc-gen-swift of the
# release of swift-protobuf in Package.resolved, which is given as the argument.
set -eu
cd "$(dirname "$0")"
protoc --plugin="protoc-gen-swift=$1" --swift_opt=Visibility=Internal --swift_out=. sparkplug_b.proto
sed -i '1i // SPDX-License-Identifier: Apache-2.0' sparkplug_b.pb.swift
