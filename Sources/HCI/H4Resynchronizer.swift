// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Finds the way back into an H4 stream that lost its packet borders. The host sends Reset, and skips all octets until
/// the Command Complete of this Reset. Core 5.4, Vol 4, Part A, 4.
package enum H4Resynchronizer {
    /// Event 0x0E, 4 parameters, any number of credits, opcode 0x0C03, status success.
    private static let length = 7

    /// Octets to skip before the stream makes sense again, and whether the answer to Reset then follows.
    package static func search(_ octets: RawSpan) -> (skip: Int, found: Bool) {
        var offset = 0
        while octets.byteCount - offset >= length {
            if octets.u8(at: offset) == HCIPacketType.event.rawValue,
                octets.u8(at: offset + 1) == HCIEventCode.commandComplete.rawValue, octets.u8(at: offset + 2) == 4,
                octets.u16(at: offset + 4) == HCIOpcode.reset.rawValue,
                octets.u8(at: offset + 6) == HCIStatus.success.rawValue
            {
                return (offset, true)
            }
            offset += 1
        }
        return (offset, false)
    }
}
