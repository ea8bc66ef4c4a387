// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// A procedure without the peer's answer, in words for people.
package struct OutstandingProcedure: Equatable, Sendable {
    /// Without the attribute: "the reading of".
    private let words: String
    /// The attribute of a client's request; nil where the words say everything.
    package let handle: UInt16?

    init(_ words: String, handle: UInt16? = nil) { (self.words, self.handle) = (words, handle) }

    package init(_ procedure: OwnProcedure) { self.init(procedure.rawValue) }

    init(_ request: GATTRequest) {
        switch request {
        case .discoverServices: self.init("the discovery of services")
        case .discoverIncludedServices: self.init("the discovery of included services")
        case .discoverCharacteristics: self.init("the discovery of characteristics")
        case .discoverDescriptors: self.init("the discovery of descriptors")
        case .read(let handle): self.init("the reading of", handle: handle)
        case .readByType(let type), .readAll(let type, in: _): self.init("the reading of \(type)")
        case .readMultiple, .readMultipleVariable: self.init("the reading of several values")
        case .write(let handle, _): self.init("the writing of", handle: handle)
        case .reliableWrite: self.init("the writing of several values")
        case .watchServices: self.init(.serviceWatch)
        case .configure(let handle, _, _): self.init("the subscription to", handle: handle)
        }
    }

    /// `the reading of 2A6E`, or `the reading of handle 0x0012`.
    ///
    /// - Parameter uuid: The attribute's UUID, if known.
    package func text(naming uuid: (UInt16) -> String?) -> String {
        guard let handle else { return words }
        let digits = String(handle, radix: 16)
        return words + " " + (uuid(handle) ?? "handle 0x" + String(repeating: "0", count: 4 - digits.count) + digits)
    }
}
