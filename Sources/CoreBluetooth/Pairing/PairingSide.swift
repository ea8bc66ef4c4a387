// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import Dispatch
import Foundation
import HCITransport

/// Policy and agent of one kind of links: of all, or of those on which we are the Peripheral.
struct PairingSide {
    weak var agent: (any CBPairingAgent)?
    var hasAgent = false
    var queue = DispatchQueue.main
    private(set) var policy: CBPairingPolicy?
    private var policySetAt = MonotonicTime.zero
    /// Tells what is good for one pairing apart from what it was before.
    private var number: UInt64 = 0

    init(_ policy: CBPairingPolicy? = nil) { self.policy = policy }

    /// `number`: greater than that of any policy before.
    mutating func set(_ policy: CBPairingPolicy?, number: UInt64) {
        (self.policy, policySetAt, self.number) = (policy, MonotonicClock.now, number)
    }

    mutating func set(_ agent: (any CBPairingAgent)?, queue: DispatchQueue) {
        (self.agent, hasAgent, self.queue) = (agent, agent != nil, queue)
    }

    /// `hasAgent`: somebody is there for what the policy's capability says.
    func securityPolicy(hasAgent: Bool, addresses: (UUID) -> DeviceAddress?) -> SecurityPolicy? {
        policy?.securityPolicy(hasAgent: hasAgent, setAt: policySetAt, number: number, addresses: addresses)
    }
}
