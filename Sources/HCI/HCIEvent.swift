// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// The first octet of an HCI event. Core 5.4, Vol 4, Part E, 7.7.
public struct HCIEventCode: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    private init(_ rawValue: UInt8) { self.rawValue = rawValue }

    public static let disconnectionComplete = Self(0x05)
    public static let encryptionChange = Self(0x08)
    public static let readRemoteVersionInformationComplete = Self(0x0C)
    public static let commandComplete = Self(0x0E)
    public static let commandStatus = Self(0x0F)
    public static let hardwareError = Self(0x10)
    public static let numberOfCompletedPackets = Self(0x13)
    public static let dataBufferOverflow = Self(0x1A)
    public static let encryptionKeyRefreshComplete = Self(0x30)
    public static let leMeta = Self(0x3E)
    public static let encryptionChangeV2 = Self(0x59)
}

/// The first parameter of an LE Meta event. Core 5.4, Vol 4, Part E, 7.7.65.
public struct LESubeventCode: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    private init(_ rawValue: UInt8) { self.rawValue = rawValue }

    public static let connectionComplete = Self(0x01)
    public static let advertisingReport = Self(0x02)
    public static let connectionUpdateComplete = Self(0x03)
    public static let readRemoteFeaturesComplete = Self(0x04)
    public static let longTermKeyRequest = Self(0x05)
    public static let remoteConnectionParameterRequest = Self(0x06)
    public static let dataLengthChange = Self(0x07)
    public static let generateDHKeyComplete = Self(0x09)
    public static let enhancedConnectionComplete = Self(0x0A)
    public static let phyUpdateComplete = Self(0x0C)
    public static let extendedAdvertisingReport = Self(0x0D)
    public static let scanTimeout = Self(0x11)
    public static let advertisingSetTerminated = Self(0x12)
    public static let channelSelectionAlgorithm = Self(0x14)
}

/// An event of the controller, except advertising reports: ``AdvertisingReport`` reads these in place. Core 5.4, Vol 4,
/// Part E, 7.7.
package enum HCIEvent: Equatable, Sendable {
    case disconnectionComplete(status: HCIStatus, handle: UInt16, reason: HCIStatus)
    /// `keySize`: octets; only version 2 of the event has the size.
    case encryptionChange(status: HCIStatus, handle: UInt16, enabled: Bool, keySize: UInt8?)
    case encryptionKeyRefreshComplete(status: HCIStatus, handle: UInt16)
    /// `parameters` are the octets after the opcode, the status first.
    case commandComplete(credits: UInt8, opcode: HCIOpcode, parameters: ArraySlice<UInt8>)
    case commandStatus(status: HCIStatus, credits: UInt8, opcode: HCIOpcode)
    case hardwareError(code: UInt8)
    case numberOfCompletedPackets([CompletedPackets])
    case dataBufferOverflow(linkType: UInt8)
    case connectionComplete(LEConnectionComplete)
    case connectionUpdateComplete(LEConnectionUpdateComplete)
    case readRemoteFeaturesComplete(status: HCIStatus, handle: UInt16, features: LEFeatures)
    /// `rand` and `ediv` are zero for a key of LE Secure Connections.
    case longTermKeyRequest(handle: UInt16, rand: UInt64, ediv: UInt16)
    case remoteConnectionParameterRequest(LERemoteConnectionParameterRequest)
    case dataLengthChange(handle: UInt16, maximumTransmitOctets: UInt16, maximumReceiveOctets: UInt16)
    case phyUpdateComplete(status: HCIStatus, handle: UInt16, transmit: UInt8, receive: UInt8)
    case advertisingSetTerminated(LEAdvertisingSetTerminated)
    case unknown(code: HCIEventCode, parameters: ArraySlice<UInt8>)
    case unknownLE(subevent: LESubeventCode, parameters: ArraySlice<UInt8>)
}

package struct CompletedPackets: Equatable, Sendable {
    package let handle: UInt16
    package let count: UInt16

    package init(handle: UInt16, count: UInt16) {
        self.handle = handle
        self.count = count
    }
}

/// LE Connection Complete or LE Enhanced Connection Complete. Core 5.4, Vol 4, Part E, 7.7.65.1 and 7.7.65.10.
package struct LEConnectionComplete: Equatable, Sendable {
    package let status: HCIStatus
    package let handle: UInt16
    package let isCentral: Bool
    /// The peer's address; its identity address if the controller has resolved it.
    package let peer: DeviceAddress
    /// The private address that the controller made for us; nil if the controller used an address that we gave.
    package let localPrivateAddress: DeviceAddress?
    /// The private address that the peer used on the air, if the controller has resolved it.
    package let peerPrivateAddress: DeviceAddress?
    /// N × 1.25 ms, unchecked.
    package let interval: UInt16
    /// Connection events.
    package let latency: UInt16
    /// N × 10 ms, unchecked.
    package let timeout: UInt16

    fileprivate init(decoding reader: inout ByteReader, enhanced: Bool) throws(DecodeError) {
        status = HCIStatus(rawValue: try reader.u8("Status"))
        handle = try reader.u16("Connection_Handle") & 0x0FFF
        isCentral = try reader.u8("Role") == 0
        let kind = try reader.u8("Peer_Address_Type")
        // 2 and 3 are identity addresses that the controller resolved: public and random.
        peer = DeviceAddress(kind: kind & 1 == 0 ? .public : .random, value: try reader.u48("Peer_Address"))
        let local = enhanced ? try reader.u48("Local_Resolvable_Private_Address") : 0
        let remote = enhanced ? try reader.u48("Peer_Resolvable_Private_Address") : 0
        localPrivateAddress = local == 0 ? nil : DeviceAddress(kind: .random, value: local)
        peerPrivateAddress = remote == 0 ? nil : DeviceAddress(kind: .random, value: remote)
        interval = try reader.u16("Connection_Interval")
        latency = try reader.u16("Peripheral_Latency")
        timeout = try reader.u16("Supervision_Timeout")
        _ = try reader.u8("Central_Clock_Accuracy")
    }
}

/// Core 5.4, Vol 4, Part E, 7.7.65.3.
package struct LEConnectionUpdateComplete: Equatable, Sendable {
    package let status: HCIStatus
    package let handle: UInt16
    package let interval: UInt16
    package let latency: UInt16
    package let timeout: UInt16

    fileprivate init(decoding reader: inout ByteReader) throws(DecodeError) {
        status = HCIStatus(rawValue: try reader.u8("Status"))
        handle = try reader.u16("Connection_Handle") & 0x0FFF
        interval = try reader.u16("Connection_Interval")
        latency = try reader.u16("Peripheral_Latency")
        timeout = try reader.u16("Supervision_Timeout")
    }
}

/// Core 5.4, Vol 4, Part E, 7.7.65.6.
package struct LERemoteConnectionParameterRequest: Equatable, Sendable {
    package let handle: UInt16
    package let minimumInterval: UInt16
    package let maximumInterval: UInt16
    package let latency: UInt16
    package let timeout: UInt16

    fileprivate init(decoding reader: inout ByteReader) throws(DecodeError) {
        handle = try reader.u16("Connection_Handle") & 0x0FFF
        minimumInterval = try reader.u16("Interval_Min")
        maximumInterval = try reader.u16("Interval_Max")
        latency = try reader.u16("Max_Latency")
        timeout = try reader.u16("Timeout")
    }
}

/// Core 5.4, Vol 4, Part E, 7.7.65.18.
package struct LEAdvertisingSetTerminated: Equatable, Sendable {
    /// Success: a connection was made.
    package let status: HCIStatus
    package let set: UInt8
    /// The handle of the new link, if there is a new link.
    package let handle: UInt16

    fileprivate init(decoding reader: inout ByteReader) throws(DecodeError) {
        status = HCIStatus(rawValue: try reader.u8("Status"))
        set = try reader.u8("Advertising_Handle")
        handle = try reader.u16("Connection_Handle") & 0x0FFF
        _ = try reader.u8("Num_Completed_Extended_Advertising_Events")
    }
}

extension HCIEvent {
    /// Reads an event packet without its H4 type octet. Octets that later versions of the specification append to a
    /// known event are ignored.
    package init(decoding octets: ArraySlice<UInt8>) throws(DecodeError) {
        var reader = ByteReader(octets)
        let code = HCIEventCode(rawValue: try reader.u8("Event_Code"))
        let length = Int(try reader.u8("Parameter_Total_Length"))
        let parameters = try reader.bytes(length, "parameters")
        try reader.finish()
        reader = ByteReader(parameters)
        switch code {
        case .disconnectionComplete:
            self = .disconnectionComplete(
                status: HCIStatus(rawValue: try reader.u8("Status")),
                handle: try reader.u16("Connection_Handle") & 0x0FFF,
                reason: HCIStatus(rawValue: try reader.u8("Reason")))
        case .encryptionChange, .encryptionChangeV2:
            self = .encryptionChange(
                status: HCIStatus(rawValue: try reader.u8("Status")),
                handle: try reader.u16("Connection_Handle") & 0x0FFF,
                enabled: try reader.u8("Encryption_Enabled") != 0,
                keySize: code == .encryptionChangeV2 ? try reader.u8("Encryption_Key_Size") : nil)
        case .encryptionKeyRefreshComplete:
            self = .encryptionKeyRefreshComplete(
                status: HCIStatus(rawValue: try reader.u8("Status")),
                handle: try reader.u16("Connection_Handle") & 0x0FFF)
        case .commandComplete:
            self = .commandComplete(
                credits: try reader.u8("Num_HCI_Command_Packets"),
                opcode: HCIOpcode(rawValue: try reader.u16("Command_Opcode")), parameters: reader.rest())
        case .commandStatus:
            self = .commandStatus(
                status: HCIStatus(rawValue: try reader.u8("Status")),
                credits: try reader.u8("Num_HCI_Command_Packets"),
                opcode: HCIOpcode(rawValue: try reader.u16("Command_Opcode")))
        case .hardwareError:
            self = .hardwareError(code: try reader.u8("Hardware_Code"))
        case .numberOfCompletedPackets:
            var completed: [CompletedPackets] = []
            for _ in 0..<(try reader.u8("Num_Handles")) {
                completed.append(
                    CompletedPackets(
                        handle: try reader.u16("Connection_Handle") & 0x0FFF,
                        count: try reader.u16("Num_Completed_Packets")))
            }
            self = .numberOfCompletedPackets(completed)
        case .dataBufferOverflow:
            self = .dataBufferOverflow(linkType: try reader.u8("Link_Type"))
        case .leMeta:
            try self.init(decodingLE: &reader)
        default:
            self = .unknown(code: code, parameters: parameters)
        }
    }

    private init(decodingLE reader: inout ByteReader) throws(DecodeError) {
        let subevent = LESubeventCode(rawValue: try reader.u8("Subevent_Code"))
        switch subevent {
        case .connectionComplete:
            self = .connectionComplete(try LEConnectionComplete(decoding: &reader, enhanced: false))
        case .enhancedConnectionComplete:
            self = .connectionComplete(try LEConnectionComplete(decoding: &reader, enhanced: true))
        case .connectionUpdateComplete:
            self = .connectionUpdateComplete(try LEConnectionUpdateComplete(decoding: &reader))
        case .readRemoteFeaturesComplete:
            self = .readRemoteFeaturesComplete(
                status: HCIStatus(rawValue: try reader.u8("Status")),
                handle: try reader.u16("Connection_Handle") & 0x0FFF,
                features: LEFeatures(rawValue: try reader.u64("LE_Features")))
        case .longTermKeyRequest:
            self = .longTermKeyRequest(
                handle: try reader.u16("Connection_Handle") & 0x0FFF, rand: try reader.u64("Random_Number"),
                ediv: try reader.u16("Encrypted_Diversifier"))
        case .remoteConnectionParameterRequest:
            self = .remoteConnectionParameterRequest(try LERemoteConnectionParameterRequest(decoding: &reader))
        case .dataLengthChange:
            let handle = try reader.u16("Connection_Handle") & 0x0FFF
            let transmit = try reader.u16("Max_TX_Octets")
            _ = try reader.u16("Max_TX_Time")
            let receive = try reader.u16("Max_RX_Octets")
            _ = try reader.u16("Max_RX_Time")
            self = .dataLengthChange(handle: handle, maximumTransmitOctets: transmit, maximumReceiveOctets: receive)
        case .phyUpdateComplete:
            self = .phyUpdateComplete(
                status: HCIStatus(rawValue: try reader.u8("Status")),
                handle: try reader.u16("Connection_Handle") & 0x0FFF,
                transmit: try reader.u8("TX_PHY"), receive: try reader.u8("RX_PHY"))
        case .advertisingSetTerminated:
            self = .advertisingSetTerminated(try LEAdvertisingSetTerminated(decoding: &reader))
        default:
            self = .unknownLE(subevent: subevent, parameters: reader.rest())
        }
    }
}
