// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Octets as a script writes them: `0B 01 ?? 03`; `??` stands for any octet, `*` at the end for any rest.
struct OctetPattern: ExpressibleByStringLiteral, ExpressibleByStringInterpolation, CustomStringConvertible {
    let description: String
    private let octets: [UInt8?]
    private let isOpen: Bool

    init(stringLiteral text: String) { self.init(text) }

    init(_ text: String) {
        description = text
        var octets: [UInt8?] = []
        var isOpen = false
        for word in text.split(separator: " ") {
            switch word {
            case "??": octets.append(nil)
            case "*": isOpen = true
            default: octets += hex(String(word)).map { $0 }
            }
        }
        self.octets = octets
        self.isOpen = isOpen
    }

    func matches(_ seen: [UInt8]) -> Bool {
        guard isOpen ? seen.count >= octets.count : seen.count == octets.count else { return false }
        return zip(octets, seen).allSatisfy { $0 == nil || $0 == $1 }
    }
}

/// The octets of a script's text. Scripts are our own, so text in another notation is a mistake in the script.
func hex(_ text: String) -> [UInt8] {
    guard let octets = [UInt8](hexadecimal: text) else { preconditionFailure("no hexadecimal: \(text)") }
    return octets
}

/// Octets as a script writes them.
func text(_ octets: some Collection<UInt8>) -> String {
    octets.map { String($0 >> 4, radix: 16, uppercase: true) + String($0 & 15, radix: 16, uppercase: true) }
        .joined(separator: " ")
}

func little(_ value: UInt16) -> [UInt8] { [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)] }

/// `count` octets that count up from `first`, so parts of long values differ.
func counting(_ count: Int, from first: UInt8 = 0) -> [UInt8] {
    (0..<count).map { first &+ UInt8(truncatingIfNeeded: $0) }
}

/// Why a script failed.
struct ScriptFailure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// Fails the script unless `condition` holds.
func require(_ condition: Bool, _ message: @autoclosure () -> String) throws {
    guard condition else { throw ScriptFailure(message()) }
}
