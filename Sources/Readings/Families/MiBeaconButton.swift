// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Buttons, switches, remotes and dimmers of MiBeacon: each product has its own codes.
enum MiBeaconButton {
    private enum Kind {
        /// One button. The codes are press, double press, long press.
        case one
        /// Several buttons, numbered from 0, with the codes of a single button.
        case remote
        /// Wall switches, by the buttons of each number; the codes are press, long press, double press.
        case wall([[UInt8]])
        case dimmer, cube
    }

    private static let kinds: [UInt16: Kind] = [
        0x0A8D: .one, 0x07BF: .one, 0x0997: .one, 0x0863: .one,
        0x0153: .remote, 0x068E: .remote, 0x04E6: .remote, 0x03BF: .remote,
        0x1568: .wall([[0]]), 0x1569: .wall([[1], [2], [1, 2]]),
        0x0DFD: .wall([[1], [2], [3], [1, 2], [2, 3], [1, 3], [1, 2, 3]]),
        0x03B6: .dimmer, 0x04E1: .cube,
    ]

    private static let events = ["press", "double_press", "long_press"]
    private static let eventsOfWall = ["press", "long_press", "double_press"]

    private static func event(_ name: String, _ button: UInt8) -> Field { Field(.button, .string(name), index: button) }

    /// Object 1001: buttons that are pressed or turned; no fields for products with unknown codes.
    static func pressed(_ reader: inout ByteReader, of product: UInt16) throws(DecodeError) -> [Field]? {
        let which = try reader.u8("button")
        let count = try reader.u8("count")
        let code = try reader.u8("kind")
        switch (kinds[product], code) {
        case (.one?, 0...2): return [event(events[Int(code)], 0)]
        case (.remote?, 0...2): return [event(events[Int(code)], which == .max ? .max : which + 1)]
        case (.wall(let buttons)?, 0...2) where buttons.indices.contains(Int(which)):
            return buttons[Int(which)].map { event(eventsOfWall[Int(code)], $0) }
        case (.cube?, _) where which <= 1: return [.text(.dimmer, which == 0 ? "rotate_right" : "rotate_left")]
        case (.dimmer?, 3): return [.text(.button, which == 0 ? "press" : "long_press"), .int(.count, Int64(count))]
        case (.dimmer?, 4):
            // If the dimmer is turned while pressed, the other octet has the steps.
            let steps = Int8(bitPattern: which == 0 ? count : which)
            return [
                .text(.dimmer, steps >= 0 ? "rotate_right" : "rotate_left"),
                .int(.dimmerSteps, Int64(steps.magnitude)),
            ]
        default: return nil
        }
    }

    // Products whose objects have an octet with the number of the button.
    private static let fourButtons: Set<UInt16> = [0x3A61, 0x3E17]
    private static let pairFromOne: UInt16 = 0x1949
    private static let pairFromZero: UInt16 = 0x5968
    private static let coded: UInt16 = 0x1C10

    /// Objects xx0C to xx0E and 4A13. The object's number gives the kind of press. The octet, if present, gives the
    /// button.
    static func fields(_ number: UInt16, _ octet: UInt8?, of product: UInt16) -> [Field]? {
        if number == 0x4A13 { return octet == 1 ? [event("press", 0)] : [] }
        let place = Int(number & 0xFF) - 0x0C
        guard events.indices.contains(place) else { return nil }
        let name = events[place]
        switch product {
        case fourButtons:
            guard let octet else { return [event(name, 0)] }
            return (1...4).contains(octet) ? [event(name, octet)] : nil
        case pairFromOne:
            guard let octet, (1...3).contains(octet) else { return nil }
            return octet == 3 ? [event(name, 1), event(name, 2)] : [event(name, octet)]
        case pairFromZero:
            guard let octet, octet <= 1 else { return nil }
            return [event(name, octet + 1)]
        case coded:
            switch octet {
            case 1: return [event("press", 0)]
            case 8: return [event("long_press", 0)]
            case 15: return [event("double_press", 0)]
            default: return nil
            }
        default: return [event(name, 0)]
        }
    }
}

private func ~= (products: Set<UInt16>, product: UInt16) -> Bool { products.contains(product) }
