// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore

/// One procedure of Core 5.4, Vol 3, Part G, 4: a row of ATT requests with one result.
protocol GATTProcedure: Sendable {
    /// The first or the next request.
    mutating func next(mtu: Int) -> ATTPDU
    /// Takes the answer to the last request.
    mutating func received(_ response: ATTPDU, mtu: Int) -> GATTStep
    /// Takes an error to the last request.
    mutating func refused(_ error: ATTErrorCode) -> GATTStep
    /// Takes a malformed answer.
    mutating func receivedMalformed() -> GATTStep
    /// In which points the server departed from the specification so far.
    var oddities: GATTOddities { get }
    /// The host's own procedure; nil if a client's values need the procedure.
    var ownProcedure: OwnProcedure? { get }
}

extension GATTProcedure {
    mutating func receivedMalformed() -> GATTStep { .failed(.malformed) }
    mutating func refused(_ error: ATTErrorCode) -> GATTStep { .failed(.refused(error)) }
    var oddities: GATTOddities { GATTOddities() }
    var ownProcedure: OwnProcedure? { nil }
}

enum GATTStep: Equatable {
    /// Ask ``GATTProcedure/next(mtu:)`` and send its request.
    case proceed
    case finished(GATTResponse)
    case failed(GATTError)
}

/// Guards against a server without an end.
enum GATTLimit {
    /// The most items of one discovery.
    static let attributes = 1024
    /// Octets of an attribute value. Core 5.4, Vol 3, Part F, 3.2.9.
    static let valueLength = 512
}

extension BluetoothUUID {
    /// A UUID in an attribute's value: 2 or 16 octets. Core 5.4, Vol 3, Part F, 3.2.1.
    init?(attributeOctets octets: some Collection<UInt8>) {
        guard octets.count == 2 || octets.count == 16 else { return nil }
        self.init(littleEndian: octets)
    }
}
