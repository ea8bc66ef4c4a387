// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Glibc
import Synchronization
import Testing

@testable import BluetoothHost
@testable import HCITransport

/// Packets that the kernel had no room for.
struct PacketLossTests {
    /// A transport with this many packets to read, after some losses.
    private final class FullTransport: HCITransport {
        let descriptor: Int32 = -1
        let keepsPacketBorders = true
        private let state: Mutex<(packets: Int, lost: UInt32)>

        init(packets: Int, lost: UInt32) { state = Mutex((packets, lost)) }

        var packetsLost: UInt32 { state.withLock { $0.lost } }

        func fill(_ packets: Int, lost: UInt32) { state.withLock { $0 = (packets, lost) } }

        func read(into buffer: UnsafeMutableRawBufferPointer) throws(TransportError) -> Int {
            // A command complete of no command.
            let packet: [UInt8] = [4, 0x0E, 3, 1, 0, 0]
            return state.withLock { state in
                guard state.packets > 0 else { return 0 }
                state.packets -= 1
                buffer.copyBytes(from: packet)
                return packet.count
            }
        }

        func write(_ octets: UnsafeRawBufferPointer) throws(TransportError) -> Int { octets.count }
        func close() {}
    }

    @Test func `what was lost is told once, with the turn that finds more than it takes`() throws {
        let transport = FullTransport(packets: 100, lost: .max - 1)
        var port = ControllerPort(transport)
        var seen = 0
        func turn() throws -> (isFull: Bool, lost: UInt32) {
            let receipt = try port.receive(at: .zero) { _ in seen += 1 }
            return (receipt.isFull, receipt.packetsLost)
        }
        #expect(try turn() == (true, .max - 1))
        #expect(try turn() == (false, 0))
        #expect(seen == 100)
        // The kernel's count begins again at 2³².
        transport.fill(64, lost: 3)
        #expect(try turn() == (true, 5))
        transport.fill(64, lost: 3)
        #expect(try turn() == (true, 0))
    }

    @Test func `the kernel counts what a socket has no room for`() throws {
        // UDP drops like the user channel, with the same kind of count.
        let receiver = socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
        let sender = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        defer {
            close(receiver)
            close(sender)
        }
        try #require(receiver >= 0 && sender >= 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isReady = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(receiver, $0, size) == 0 && getsockname(receiver, $0, &size) == 0 && connect(sender, $0, size) == 0
            }
        }
        try #require(isReady)
        #expect(UserChannel.packetsLost(on: receiver) == 0)
        var room: Int32 = 4096
        setsockopt(receiver, SOL_SOCKET, SO_RCVBUF, &room, socklen_t(MemoryLayout<Int32>.size))
        let sent = (0..<200).filter { _ in send(sender, "martlet", 7, 0) == 7 }.count
        var octets = [UInt8](repeating: 0, count: 16)
        let received = (0..<200).filter { _ in recv(receiver, &octets, octets.count, 0) == 7 }.count
        #expect(sent == 200 && received < sent)
        #expect(UserChannel.packetsLost(on: receiver) == UInt32(sent - received))
        #expect(UserChannel.packetsLost(on: -1) == 0)
    }
}
