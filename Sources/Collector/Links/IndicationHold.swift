// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Dispatch

/// The indicated value that a sensor keeps until the confirmation. The collector confirms the value when the disk has
/// it.
struct IndicationHold {
    private struct Held {
        let number: UInt64
        let indication: CBIndication
        /// The end of the wait for the disk. A link with a transaction of 30 s is dead in any case (Core 5.4, Vol 3,
        /// Part F, 3.3.3).
        let deadline: DispatchTime
    }

    private var held: Held?
    /// Values that waited too long. Each of them ended a link.
    private(set) var unconfirmed = 0

    var isEmpty: Bool { held == nil }
    var deadline: DispatchTime? { held?.deadline }

    /// `number`: tells the value from earlier and later values, also of a former sensor at this place.
    mutating func hold(_ indication: CBIndication, number: UInt64, until deadline: DispatchTime) {
        held = Held(number: number, indication: indication, deadline: deadline)
    }

    /// The value is on disk: confirms it, unless another value is held by now.
    mutating func confirm(_ number: UInt64) {
        guard let held, held.number == number else { return }
        self.held = nil
        held.indication.confirm()
    }

    /// The link is gone, so there is nothing to confirm.
    mutating func drop() { held = nil }

    /// The disk did not get the value in time.
    mutating func giveUp() {
        held = nil
        unconfirmed += 1
    }
}
