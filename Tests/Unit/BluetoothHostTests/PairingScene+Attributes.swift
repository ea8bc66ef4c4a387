// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

@testable import BluetoothHost
@testable import HostBench

/// Requests of the Central, octet by octet, and the answers of our server.
extension PairingScene {
    /// A PDU of the Central on the attribute channel.
    func inject(attribute pdu: [UInt8]) {
        guard let handle = duet.a.host.links.handle(of: links.a) else { return }
        var packet: [UInt8] = [2]
        packet.append(u16: handle | 0x2000)
        packet.append(u16: UInt16(pdu.count + 4))
        packet.append(u16: UInt16(pdu.count))
        packet.append(u16: 4)
        packet += pdu
        duet.players[0].host.received(packet.span.bytes, at: duet.now)
    }

    /// The PDUs of our server since ``forget()``, after a while.
    func attributeAnswers() -> [[UInt8]] {
        run(for: .seconds(1))
        return duet.a.sent.compactMap {
            $0.count > 9 && $0[0] == 2 && $0[7] == 4 && $0[8] == 0 ? Array($0[9...]) : nil
        }
    }

    /// The answer to one request.
    func answer(to pdu: [UInt8]) -> [UInt8]? {
        duet.forget()
        inject(attribute: pdu)
        return attributeAnswers().first
    }
}
