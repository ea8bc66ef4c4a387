// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Health

/// The meaning of a link's end for a person, and the remedy.
struct LinkEndAdvice: Equatable, Sendable {
    /// Goes on after "0x08 Connection Timeout – ".
    var meaning: String
    /// Sentences; nil without a remedy.
    var advice: Advice?

    /// The advice about an end of a link.
    ///
    /// - Parameters:
    ///   - procedure: The procedure that waited for the sensor's answer, in words. With a procedure, the sensor's end of
    ///     the link has a likely cause, and phones or batteries have no part in it.
    ///   - sensor: Its id, for commands.
    static func of(_ reason: LinkEndReason, during procedure: String?, sensor: String) -> Self {
        guard let procedure, reason.party != .gateway else { return of(reason, sensor: sensor) }
        let known = of(reason, sensor: sensor)
        let meaning = "\(known.meaning), during \(procedure)"
        guard reason == .remoteUserTerminated || reason == .responseTimeout else {
            return Self(meaning: meaning, advice: known.advice)
        }
        return Self(
            meaning: meaning,
            advice:
                "A single end proves nothing. If links end at this point again and again, perhaps the sensor's firmware "
                + "does not know the request. The gateway then leaves out a request without a value; for a value, try a "
                + "newer firmware, or take the value out of the sensor's entry.")
    }

    /// `sensor`: its id, for commands.
    static func of(_ reason: LinkEndReason, sensor: String) -> Self {
        if let known = table[reason.rawValue] { return Self(meaning: known.0, advice: known.1) }
        switch reason.rawValue {
        case 0x05, 0x3D:
            return Self(
                meaning: "the keys of the two sides did not fit, or perhaps an attacker interfered",
                advice: "If this happens again: run \(.martlet(.unpair, sensor)), then \(.martlet(.pair, sensor)).")
        case 0x06:
            return Self(
                meaning:
                    "the sensor says: the key of its bond is missing (perhaps after a reset, or another pairing)",
                advice: "Run \(.martlet(.unpair, sensor)), then \(.martlet(.pair, sensor)).")
        case 0x25, 0x2F:
            return Self(
                meaning: "one side asks for a better protected link",
                advice: "Run \(.martlet(.unpair, sensor)), then \(.martlet(.pair, sensor)): give the sensor's "
                    + "passkey, if there is a passkey.")
        default: break
        }
        switch reason.party {
        case .gateway: return Self(meaning: "the gateway ended the link")
        case .peer: return Self(meaning: "the sensor ended the link")
        case .radio: return Self(meaning: "the radio lost the link", advice: nearer)
        case .security: return Self(meaning: "one of the two sides refused the other for reasons of security")
        case .controller: return Self(meaning: "the controller ended the link")
        }
    }

    private static let nearer: Advice =
        "Perhaps the sensor is too far away, or its battery is low: bring the sensor nearer to the gateway."

    private static let table: [UInt8: (String, Advice?)] = [
        0x03: (
            "the controller says: a failure of the hardware, which ended all links",
            "The gateway starts the controller again; \(.martlet(.status)) shows its state."
        ),
        0x08: (
            "the radio lost the link (perhaps out of range, a flat battery or interference)",
            "Bring the sensor nearer to the gateway, away from metal and from Wi-Fi; perhaps its battery is low, too."
        ),
        0x09: (
            "the controller has no room for another link",
            "Collect from fewer sensors with this controller; if phones use the controller, disconnect the phones."
        ),
        0x13: (
            "the sensor ended the link",
            "Perhaps the sensor saves its battery, or a person pressed a button, or another device took the sensor: "
                + "check that no phone is connected to the sensor."
        ),
        0x14: (
            "the sensor ended the link, and says: too few resources",
            "Perhaps the sensor has too many connections: disconnect phones and other gateways from the sensor."
        ),
        0x15: ("the sensor ended the link, and says: power off", "Switch the sensor on again, or charge the sensor."),
        0x16: ("the gateway ended the link", nil),
        0x1F: ("neither side says why", nearer),
        0x22: (
            "an answer of the link layer did not come in time",
            "If this happens again, the sensor may hang: take its battery out for a moment."
        ),
        0x28: ("a change of the link came too late for one side, perhaps because the signal is weak", nearer),
        0x3B: ("one side refuses the timing of the link", nil),
        0x3E: (
            "no packet came from the sensor when the link began",
            "Perhaps the sensor is at the edge of the range, or another device was faster: bring the sensor nearer; "
                + "check that no phone is connected to the sensor."
        ),
    ]
}
