// SPDX-License-Identifier: Apache-2.0

/// The transport to a controller: an open descriptor that carries H4 packets.
///
/// Used only from the radio thread. Reading and writing never wait.
package protocol HCITransport: Sendable {
    /// For poll(2).
    var descriptor: Int32 { get }
    /// True when each read gives, and each write takes, exactly one packet.
    var keepsPacketBorders: Bool { get }
    /// Octets read; 0 when no octets are there now. Throws when the transport is lost.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(TransportError) -> Int
    /// Octets written; 0 when there is no room now. Throws when the transport is lost.
    func write(_ octets: UnsafeRawBufferPointer) throws(TransportError) -> Int
    /// Packets that were lost for lack of room since the transport was opened; modulo 2³².
    var packetsLost: UInt32 { get }
    func close()
}

extension HCITransport {
    /// A stream loses no packets: a full stream holds its sender back.
    package var packetsLost: UInt32 { 0 }
}

/// The address of a transport to the controller.
package enum TransportAddress: Hashable, Sendable {
    /// The kernel's adapter `hciN`, taken over by its user channel.
    case hci(UInt16)
    case unix(String)
    case tcp(host: String, port: UInt16)
    case serial(device: String, baud: UInt32)
    /// A connected stream socket; the transport closes it.
    case descriptor(Int32)
}

extension TransportAddress: CustomStringConvertible {
    package var description: String {
        switch self {
        case .hci(let index): "hci\(index)"
        case .unix(let path): "unix:\(path)"
        case .tcp(let host, let port): "tcp:\(host):\(port)"
        case .serial(let device, let baud): "serial:\(device),\(baud)"
        case .descriptor: "virtual"
        }
    }
}

extension TransportAddress {
    /// Reads `hci0`, `unix:PATH`, `tcp:HOST:PORT` or `serial:DEVICE,BAUD`.
    package init?(_ text: String) {
        if text.hasPrefix("hci"), let index = UInt16(text.dropFirst(3)) {
            self = .hci(index)
        } else if text.hasPrefix("unix:"), text.utf8.count > 5 {
            self = .unix(String(text.dropFirst(5)))
        } else if text.hasPrefix("tcp:"), let colon = text.lastIndex(of: ":"),
            let port = UInt16(text[text.index(after: colon)...]), port > 0
        {
            let host = text[
                text.index(text.startIndex, offsetBy: 4)..<max(colon, text.index(text.startIndex, offsetBy: 4))]
            guard !host.isEmpty else { return nil }
            self = .tcp(host: String(host.filter { $0 != "[" && $0 != "]" }), port: port)
        } else if text.hasPrefix("serial:"), let comma = text.lastIndex(of: ","),
            let baud = UInt32(text[text.index(after: comma)...])
        {
            let device = String(text[text.index(text.startIndex, offsetBy: 7)..<comma])
            guard !device.isEmpty else { return nil }
            self = .serial(device: device, baud: baud)
        } else {
            return nil
        }
    }

    /// Opens the transport; one attempt, without waiting for a busy adapter.
    ///
    /// - Parameter words: The words of errors.
    package func open(_ words: TransportWords = .library) throws(TransportError) -> any HCITransport {
        switch self {
        case .hci(let index): try UserChannelTransport(index: index, words)
        case .unix(let path): try StreamTransport(connectingToUnix: path)
        case .tcp(let host, let port): try StreamTransport(connectingTo: host, port: port)
        case .serial(let device, let baud): try StreamTransport(openingSerial: device, baud: baud, words)
        case .descriptor(let descriptor): try StreamTransport(adopting: descriptor)
        }
    }
}
