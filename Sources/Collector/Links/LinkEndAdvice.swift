// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Health

/// The meaning of a link's end for a person, and the remedy.
struct LinkEndAdvice: Equatable, Sendable {
    /// Goes on after "0x08 Connection Timeout – ".
    var meaning: String
    /// Sentences; nil without a remedy.
    var advice: Advice?

    /// `sensor`: its id, for commands.
    static func of(_ reason: LinkEndReason, sensor: String) -> Self {
        if let known = table[reason.rawValue] { return Self(meaning: known.0, advice: known.1) }
        switch reason.rawValue {
        case 0x05, 0x3D:
            return Self(
                meaning: "the keys of the two sides did not fit, or perhaps somebody interfered",
                advice: "If it happens again: run \(.martlet(.unpair, sensor)), then \(.martlet(.pair, sensor)).")
        case 0x06:
            return Self(
                meaning:
                    "the sensor says that it does not know the key of its bond: perhaps it was reset, or paired with somebody else",
                advice: "Run \(.martlet(.unpair, sensor)), then \(.martlet(.pair, sensor)).")
        case 0x25, 0x2F:
            return Self(
                meaning: "one side says that it wants a link that is better protected",
                advice: "Run \(.martlet(.unpair, sensor)), then \(.martlet(.pair, sensor)): give its passkey, if it "
                    + "has one.")
        default: break
        }
        switch reason.party {
        case .gateway: return Self(meaning: "the gateway ended it")
        case .peer: return Self(meaning: "the sensor ended it")
        case .radio: return Self(meaning: "the radio lost it", advice: nearer)
        case .security: return Self(meaning: "one of the two sides refused the other for reasons of security")
        case .controller: return Self(meaning: "the controller ended it")
        }
    }

    private static let nearer: Advice =
        "Perhaps it is too far away, or its battery is low: bring it nearer to the gateway."

    private static let table: [UInt8: (String, Advice?)] = [
        0x03: (
            "the controller says that it failed, and all its links with it",
            "The gateway starts the controller again; \(.martlet(.status)) shows its state."
        ),
        0x08: (
            "the radio lost it (perhaps out of range, a flat battery or interference)",
            "Bring it nearer to the gateway, away from metal and from Wi-Fi; perhaps its battery is low, too."
        ),
        0x09: (
            "the controller says that it has no room for another link",
            "Collect from fewer sensors with this controller; if phones use it, disconnect them."
        ),
        0x13: (
            "the sensor ended it",
            "Perhaps to save its battery, because somebody pressed a button, or for another device: see whether a phone is "
                + "connected to it."
        ),
        0x14: (
            "the sensor ended it, and says that it lacks resources",
            "It may have too many connections: disconnect phones and other gateways from it."
        ),
        0x15: ("the sensor ended it, and says that it switches off", "Switch it on again, or charge it."),
        0x16: ("the gateway ended it", nil),
        0x1F: ("neither side says why", nearer),
        0x22: (
            "an answer of the link layer did not come in time",
            "If it happens again, the sensor may hang: take its battery out and put it in again."
        ),
        0x28: ("a change of the link came too late for one side, perhaps because the signal is weak", nearer),
        0x3B: ("one side says that it does not take the timing of the link", nil),
        0x3E: (
            "no packet came from the sensor when the link began",
            "It may be at the edge of the range, or another device was faster: bring it nearer, and see that no phone is "
                + "connected to it."
        ),
    ]
}
