// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatewayBench

/// Collectors that pair, one after the other: each test has two hosts with their own threads.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(10)))
struct CollectorPairingTests {}
