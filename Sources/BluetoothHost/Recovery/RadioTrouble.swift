// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Why a step is needed.
package enum RadioTrouble: Equatable, Sendable {
    /// The controller has scanned for this long and heard nothing. `hasHeard`: before, it heard devices other than the
    /// linked ones. `isLinked`: there are links, or there were links meanwhile.
    case silence(Duration, hasHeard: Bool, isLinked: Bool)
    /// The controller answers wrong or not at all.
    case failure(String)
    /// A step has taken the adapter away, and the adapter did not come back.
    case noReturn
    /// The kernel could not set the adapter up, and holds it.
    case unfinished

    /// The gentlest step with a chance to help.
    var first: RecoveryStep {
        switch self {
        case .silence: .scan
        case .failure: .reset
        case .noReturn, .unfinished: .rebind
        }
    }

    /// The strongest justified step. A place may be quiet: if nothing was ever heard, nothing proves a fault. If links
    /// bring data, a new set-up of the controller is the strongest justified step.
    var last: RecoveryStep {
        switch self {
        // A linked peer does not advertise. Silence is normal then, and the link shows that the radio works.
        case .silence(_, hasHeard: false, isLinked: true): .scan
        case .silence(_, _, isLinked: true), .silence(_, hasHeard: false, _): .reopen
        case .silence, .failure, .noReturn, .unfinished: .reboot
        }
    }

    /// How often a step is tried before the next rung. If a reset does not help against silence, another reset will not
    /// help either.
    func tries(of step: RecoveryStep) -> Int {
        guard case .failure = self else { return 1 }
        return switch step {
        case .reset: 3
        case .reopen: 2
        case .scan, .power, .rebind, .process, .reboot: 1
        }
    }

    package var words: String {
        switch self {
        case .silence(let duration, _, _):
            "nothing was heard in \(duration.wholeMilliseconds / 1_000) s of scanning"
        case .failure(let reason): reason
        case .noReturn: "the adapter did not come back"
        case .unfinished: "the kernel could not set the adapter up"
        }
    }
}
