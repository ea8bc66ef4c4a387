// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// A command to the controller. Core 5.4, Vol 4, Part E, 5.4.1.
package protocol HCICommand: Sendable {
    /// The parameters of Command Complete after the opcode. ``HCIStatusOnly`` is for commands that return nothing else,
    /// and for commands that Command Status answers.
    associatedtype ReturnParameters: HCIReturnParameters = HCIStatusOnly

    static var opcode: HCIOpcode { get }

    /// Appends the parameters, at most 255 octets.
    func encode(into octets: inout [UInt8])
}

extension HCICommand {
    package func encode(into octets: inout [UInt8]) {}

    /// The whole H4 packet, its type octet included.
    package var packet: [UInt8] {
        var octets: [UInt8] = [HCIPacketType.command.rawValue]
        octets.append(u16: Self.opcode.rawValue)
        octets.append(0)
        encode(into: &octets)
        octets[3] = UInt8(truncatingIfNeeded: octets.count - 4)
        return octets
    }
}

/// The return parameters of Command Complete after a status of success.
package protocol HCIReturnParameters: Sendable {
    init(decoding reader: inout ByteReader) throws(DecodeError)
}

/// No return parameters beside the status.
package struct HCIStatusOnly: HCIReturnParameters {
    package init(decoding reader: inout ByteReader) throws(DecodeError) {}
}

extension HCICommand {
    /// Reads the status and, on success, the return parameters. Octets that later versions of the specification
    /// append are ignored.
    package static func decodeReturn(_ octets: ArraySlice<UInt8>) throws(DecodeError) -> Result<
        ReturnParameters, HCIStatus
    > {
        var reader = ByteReader(octets)
        let status = HCIStatus(rawValue: try reader.u8("Status"))
        guard status == .success else { return .failure(status) }
        return .success(try ReturnParameters(decoding: &reader))
    }
}
