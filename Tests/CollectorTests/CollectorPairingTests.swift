// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatewayBench

/// Collectors that pair, one after the other: each has two hosts with threads of their own.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(10)))
struct CollectorPairingTests {}
