// SPDX-License-Identifier: Apache-2.0

import HCITransport

/// The address at which a controller is opened, and whether it can be opened again; a value.
struct ControllerSource {
    let address: TransportAddress
    /// The words of errors.
    private let words: TransportWords
    /// The address is a descriptor, and has been opened. A descriptor can be opened once: after its close, the number
    /// may belong to another file.
    private var isSpent = false

    init(_ address: TransportAddress, _ words: TransportWords) { (self.address, self.words) = (address, words) }

    mutating func open() throws(TransportError) -> ControllerPort {
        guard !isSpent else {
            throw TransportError(kind: .lost, message: "\(address): its socket was closed, and cannot be opened again")
        }
        if case .descriptor = address { isSpent = true }
        return ControllerPort(try address.open(words))
    }
}
