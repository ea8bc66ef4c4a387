// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Why something has to be done.
package enum RadioTrouble: Equatable, Sendable {
    /// It scanned for so long and heard nothing. `hasHeard`: there was something to hear before, of others than those that
    /// have a link; `isLinked`: there are links, or were meanwhile.
    case silence(Duration, hasHeard: Bool, isLinked: Bool)
    /// The controller answers wrong or not at all.
    case failure(String)
    /// A step has taken the adapter away, and it did not come back.
    case noReturn
    /// The kernel could not set the adapter up, and keeps it.
    case unfinished

    /// The gentlest step that can help.
    var first: RecoveryStep {
        switch self {
        case .silence: .scan
        case .failure: .reset
        case .noReturn, .unfinished: .rebind
        }
    }

    /// The strongest step that is worth it. A place may be quiet: where nothing was ever heard, nothing proves a fault, and
    /// a controller whose links bring data is not worth more than to be set up anew.
    var last: RecoveryStep {
        switch self {
        // Who has a link does not advertise: nothing to hear is what is to be expected, and the link shows that the radio works.
        case .silence(_, hasHeard: false, isLinked: true): .scan
        case .silence(_, _, isLinked: true), .silence(_, hasHeard: false, _): .reopen
        case .silence, .failure, .noReturn, .unfinished: .reboot
        }
    }

    /// How often a step is tried before the next rung: a reset that does not help against silence will not the next time either.
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
