// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation

/// The base class of services, characteristics and descriptors.
open class CBAttribute: NSObject, @unchecked Sendable {
    // Sound: immutable here; subclasses protect their mutable state by a Mutex.
    private let type: CBUUID

    init(uuid: CBUUID) { type = uuid }

    /// Its type.
    open var uuid: CBUUID { type }

    open override var description: String { "<\(Swift.type(of: self)) UUID = \(type.uuidString)>" }

    /// A value in a description: its length and its first 64 octets.
    static func text(_ value: Data?) -> String {
        guard let value else { return "(null)" }
        let octets = value.prefix(64).map { $0.bigEndianHexadecimal.lowercased() }.joined()
        return "{length = \(value.count), bytes = 0x\(octets)\(value.count > 64 ? "…" : "")}"
    }
}
