// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Packets over the kernel's HCI user channel.
package struct UserChannelTransport: HCITransport {
    package let descriptor: Int32
    package var keepsPacketBorders: Bool { true }
    private let name: String

    /// Opens the channel by the helper if the environment names a helper, else by our own privileges.
    package init(index: UInt16, _ words: TransportWords = .library) throws(TransportError) {
        name = "hci\(index)"
        if let path = getenv(UserChannelHelper.variable) {
            descriptor = try UserChannelHelper.ask(for: index, at: String(cString: path), words)
        } else {
            descriptor = try UserChannel.open(index: index, words)
        }
    }

    package func read(into buffer: UnsafeMutableRawBufferPointer) throws(TransportError) -> Int {
        while true {
            let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            if count > 0 { return count }
            if count == 0 { throw gone }
            switch errno {
            case EINTR: continue
            case EAGAIN: return 0
            default: throw gone
            }
        }
    }

    package func write(_ octets: UnsafeRawBufferPointer) throws(TransportError) -> Int {
        while true {
            let count = Glibc.write(descriptor, octets.baseAddress, octets.count)
            if count >= 0 { return count }
            switch errno {
            case EINTR: continue
            case EAGAIN, ENOBUFS: return 0
            default: throw gone
            }
        }
    }

    package var packetsLost: UInt32 { UserChannel.packetsLost(on: descriptor) }

    package func close() { Glibc.close(descriptor) }

    private var gone: TransportError {
        TransportError(
            kind: .lost,
            message: "\(name): the adapter went away (unplugged, or its driver stopped); waiting for its return")
    }
}
