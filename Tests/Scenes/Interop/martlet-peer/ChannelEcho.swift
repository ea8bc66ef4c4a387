// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

/// Returns a channel's octets to the peer, until the peer closes the channel.
final class ChannelEcho: @unchecked Sendable {
    // Sound: one thread alone uses the channel.
    private let channel: CBL2CAPChannel

    init(_ channel: CBL2CAPChannel) {
        self.channel = channel
        let thread = Thread { self.run() }
        thread.name = "echo"
        thread.start()
    }

    private func run() {
        guard let input = channel.inputStream, let output = channel.outputStream else { return }
        input.open()
        output.open()
        var octets = [UInt8](repeating: 0, count: 4096)
        var echoed = 0
        while true {
            let count = input.read(&octets, maxLength: octets.count)
            guard count > 0, write(octets.prefix(count), to: output) else { break }
            echoed += count
        }
        output.close()
        input.close()
        Report.line(["event": "channel closed", "echoed": echoed])
    }

    private func write(_ octets: ArraySlice<UInt8>, to output: OutputStream) -> Bool {
        var rest = octets
        while !rest.isEmpty {
            let count = rest.withUnsafeBufferPointer { buffer in
                buffer.baseAddress.map { output.write($0, maxLength: buffer.count) } ?? 0
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
