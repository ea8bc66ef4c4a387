// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import Dispatch
import Foundation
import HCITransport

/// Policy and agent of one kind of links: of all links, or of the links on which we are the Peripheral.
struct PairingSide {
    weak var agent: (any CBPairingAgent)?
    var hasAgent = false
    var queue = DispatchQueue.main
    private(set) var policy: CBPairingPolicy?
    private var policySetAt = MonotonicTime.zero
    /// The policy's number: digits and data for one pairing are new with each number.
    private var number: UInt64 = 0

    init(_ policy: CBPairingPolicy? = nil) { self.policy = policy }

    /// `number`: greater than the number of all earlier policies.
    mutating func set(_ policy: CBPairingPolicy?, number: UInt64) {
        (self.policy, policySetAt, self.number) = (policy, MonotonicClock.now, number)
    }

    mutating func set(_ agent: (any CBPairingAgent)?, queue: DispatchQueue) {
        (self.agent, hasAgent, self.queue) = (agent, agent != nil, queue)
    }

    /// `hasAgent`: an agent is there for the policy's capability.
    func securityPolicy(hasAgent: Bool, addresses: (UUID) -> DeviceAddress?) -> SecurityPolicy? {
        policy?.securityPolicy(hasAgent: hasAgent, setAt: policySetAt, number: number, addresses: addresses)
    }
}
