// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

extension CentralScript {
    /// Octets go to the peer and come back, by the streams of an L2CAP channel.
    func echoOverChannel() throws -> String {
        let octets = try read(characteristic(ReferenceDatabase.psm))
        try expect(octets.count == 2, "the PSM is \(octets.hexadecimal)")
        let psm = CBL2CAPPSM(octets[0]) | CBL2CAPPSM(octets[1]) << 8
        try peripheral().openL2CAPChannel(psm)
        try success(.channel)
        guard let channel = delegate.channel, let input = channel.inputStream, let output = channel.outputStream
        else { throw Unmet("no channel") }
        try expect(channel.psm == psm, "the channel has the PSM \(channel.psm)")
        input.open()
        output.open()
        // Not so much that both sides could wait for room at once.
        let sent = Data((0..<400).map { UInt8(truncatingIfNeeded: $0 * 3) })
        let rounds = 25
        var buffer = [UInt8](repeating: 0, count: 1024)
        for round in 0..<rounds {
            let written = sent.withUnsafeBytes { octets in
                octets.bindMemory(to: UInt8.self).baseAddress.map { output.write($0, maxLength: octets.count) } ?? 0
            }
            try expect(written > 0, "round \(round): write gives \(written), \(String(describing: output.streamError))")
            var received = Data()
            while received.count < written {
                let count = input.read(&buffer, maxLength: buffer.count)
                try expect(count > 0, "round \(round): read gives \(count), \(String(describing: input.streamError))")
                received.append(contentsOf: buffer.prefix(count))
            }
            try expect(received == sent.prefix(written), "round \(round): other octets came back")
        }
        output.close()
        input.close()
        return "\(rounds) times there and back, PSM \(psm)"
    }
}
