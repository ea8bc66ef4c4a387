// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Improv Wi-Fi over Bluetooth LE, revision 2.4: UUIDs, codes, and the octets of commands and results.
package enum Improv {
    package static let service = BluetoothUUID(high: 0x0046_7768_6228_2272, low: 0x4663_2774_7826_8000)
    /// UUID of the service data.
    package static let serviceData = BluetoothUUID(UInt16(0x4677))

    /// The characteristics; the raw value is the end of the UUID.
    package enum Item: UInt64, CaseIterable, Sendable {
        case currentState = 1
        case error, command, result, capabilities

        package var uuid: BluetoothUUID {
            BluetoothUUID(high: 0x0046_7768_6228_2272, low: 0x4663_2774_7826_8000 + rawValue)
        }
    }

    /// Never 0: Improv clients take 0 for the end of the link.
    package enum State: UInt8, Sendable {
        case authorizationRequired = 1
        case authorized, provisioning, provisioned
    }

    package enum ErrorCode: UInt8, Sendable {
        case none = 0
        case invalidPacket = 1
        case unknownCommand = 2
        case unableToConnect = 3
        case notAuthorized = 4
        case badHostname = 5
        case unknown = 0xFF
    }

    package struct Capabilities: OptionSet, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let identify = Capabilities(rawValue: 1)
        package static let deviceInformation = Capabilities(rawValue: 2)
        package static let scan = Capabilities(rawValue: 4)
        package static let hostname = Capabilities(rawValue: 8)
    }

    package enum Command: UInt8, Sendable {
        case wirelessSettings = 1
        case identify, deviceInformation, scan, hostname, deviceName
    }

    /// Octets of a packet's data: the length field has one octet.
    package static let capacity = 255

    /// `command len data… cs`: `cs` is the `checksum` of all octets before it.
    package static func packet(_ command: UInt8, _ data: [UInt8]) -> [UInt8] {
        let octets = [command, UInt8(truncatingIfNeeded: data.count)] + data
        return octets + [checksum(octets[...])]
    }

    /// A result with as many of `strings` as fit, each of at most 255 octets.
    package static func result(_ command: Command, _ strings: [String]) -> [UInt8] {
        var data: [UInt8] = []
        for string in strings {
            let octets = Array(string.utf8)
            guard data.count + 1 + octets.count <= capacity else { break }
            data += [UInt8(octets.count)] + octets
        }
        return packet(command.rawValue, data)
    }

    /// The low octet of the octets' sum.
    package static func checksum(_ octets: ArraySlice<UInt8>) -> UInt8 { octets.reduce(0) { $0 &+ $1 } }

    /// The service data of the advertisement.
    package static func advertisement(_ state: State, _ capabilities: Capabilities) -> [UInt8] {
        [state.rawValue, capabilities.rawValue, 0, 0, 0, 0]
    }
}

/// A client's request, from a complete packet.
package enum ImprovRequest: Equatable, Sendable {
    case join(ssid: String, password: String?)
    case identify
    case deviceInformation
    case scan
    /// nil asks for the present name.
    case hostname(String?)
    case deviceName(String?)

    package var command: Improv.Command {
        switch self {
        case .join: .wirelessSettings
        case .identify: .identify
        case .deviceInformation: .deviceInformation
        case .scan: .scan
        case .hostname: .hostname
        case .deviceName: .deviceName
        }
    }

    /// The request needs consent at the gateway. So does a scan here, because a scan interrupts the gateway's own
    /// network.
    package var needsAuthorization: Bool {
        switch self {
        case .identify, .deviceInformation: false
        case .join, .scan, .hostname, .deviceName: true
        }
    }

    /// Reads a complete packet with a correct checksum.
    package init(decoding packet: ArraySlice<UInt8>) throws(ImprovFailure) {
        var reader = ImprovReader(packet.dropFirst(2).dropLast())
        guard let code = packet.first, let command = Improv.Command(rawValue: code) else {
            throw ImprovFailure(.unknownCommand)
        }
        switch command {
        case .wirelessSettings:
            let (ssid, password) = (try reader.string(), try reader.string())
            guard (1...32).contains(ssid.utf8.count) else { throw ImprovFailure(.invalidPacket) }
            self = .join(ssid: ssid, password: password.isEmpty ? nil : password)
        case .identify: self = .identify
        case .deviceInformation: self = .deviceInformation
        case .scan: self = .scan
        case .hostname:
            let name = try reader.optionalName()
            if let name, !Self.isHostname(name) { throw ImprovFailure(.badHostname) }
            self = .hostname(name)
        case .deviceName: self = .deviceName(try reader.optionalName())
        }
        guard reader.isAtEnd else { throw ImprovFailure(.invalidPacket) }
    }

    /// RFC 1123: labels of 1 to 63 letters, digits and hyphens, no hyphen at either end.
    private static func isHostname(_ name: String) -> Bool {
        name.utf8.count <= 253
            && name.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
                (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
                    && label.utf8.allSatisfy { octet in
                        UInt8(ascii: "a")...UInt8(ascii: "z") ~= octet || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= octet
                            || UInt8(ascii: "0")...UInt8(ascii: "9") ~= octet || octet == UInt8(ascii: "-")
                    }
            }
    }
}

/// Why a packet is refused.
package struct ImprovFailure: Error, Equatable, Sendable {
    package var code: Improv.ErrorCode
    package init(_ code: Improv.ErrorCode) { self.code = code }
}

/// Reads the data of a packet: strings, each after its length.
private struct ImprovReader {
    private var rest: ArraySlice<UInt8>

    init(_ data: ArraySlice<UInt8>) { rest = data }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func string() throws(ImprovFailure) -> String {
        guard let count = rest.popFirst(), Int(count) <= rest.count else { throw ImprovFailure(.invalidPacket) }
        return try text(Int(count))
    }

    /// All remaining octets. In the specification, the packet's length is the name's length. Home Assistant's client
    /// puts the name's own length before the name. A length is no character of a name.
    mutating func optionalName() throws(ImprovFailure) -> String? {
        if isAtEnd { return nil }
        if rest.first.map(Int.init) == rest.count - 1 { rest.removeFirst() }
        let name = try text(rest.count)
        guard !name.isEmpty, !name.unicodeScalars.contains(where: { $0.value < 0x20 }) else {
            throw ImprovFailure(.invalidPacket)
        }
        return name
    }

    private mutating func text(_ count: Int) throws(ImprovFailure) -> String {
        let octets = rest.prefix(count)
        rest = rest.dropFirst(count)
        guard let text = String(validating: octets, as: UTF8.self), !text.utf8.contains(0) else {
            throw ImprovFailure(.invalidPacket)
        }
        return text
    }
}
