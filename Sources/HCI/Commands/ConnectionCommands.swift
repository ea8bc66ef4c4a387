// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// The peer to connect to.
package enum InitiatorTarget: Hashable, Sendable {
    /// One peer.
    case peer(DeviceAddress)
    /// The first peer of the Filter Accept List that is heard.
    case filterAcceptList
}

/// Core 5.4, Vol 4, Part E, 7.8.12.
package struct LECreateConnection: HCICommand {
    package static let opcode = HCIOpcode.leCreateConnection
    package var target: InitiatorTarget
    package var timing: ScanTiming
    package var ownAddress: OwnAddressType
    package var parameters: ConnectionParameters

    package init(
        target: InitiatorTarget, timing: ScanTiming, ownAddress: OwnAddressType, parameters: ConnectionParameters
    ) {
        self.target = target
        self.timing = timing
        self.ownAddress = ownAddress
        self.parameters = parameters
    }

    package func encode(into octets: inout [UInt8]) {
        octets.append(u16: timing.interval)
        octets.append(u16: timing.window)
        octets.append(target: target)
        octets.append(ownAddress.rawValue)
        octets.append(initial: parameters)
    }
}

/// Uses equal parameters on every PHY. Core 5.4, Vol 4, Part E, 7.8.66.
package struct LEExtendedCreateConnection: HCICommand {
    package static let opcode = HCIOpcode.leExtendedCreateConnection
    package var target: InitiatorTarget
    package var timing: ScanTiming
    /// Nil: the controller does not listen on LE Coded.
    package var coded: ScanTiming?
    /// A connection to an extended advertiser may use LE 2M.
    package var uses2M: Bool
    package var ownAddress: OwnAddressType
    package var parameters: ConnectionParameters

    package init(
        target: InitiatorTarget, timing: ScanTiming, coded: ScanTiming? = nil, uses2M: Bool = false,
        ownAddress: OwnAddressType, parameters: ConnectionParameters
    ) {
        self.target = target
        self.timing = timing
        self.coded = coded
        self.uses2M = uses2M
        self.ownAddress = ownAddress
        self.parameters = parameters
    }

    package func encode(into octets: inout [UInt8]) {
        var phys: LEPHYs = .le1M
        if uses2M { phys.insert(.le2M) }
        if coded != nil { phys.insert(.leCoded) }
        octets.append(target == .filterAcceptList ? 1 : 0)
        octets.append(ownAddress.rawValue)
        octets.append(peer: target)
        octets.append(phys.rawValue)
        // A controller never scans on LE 2M: it ignores the scan timing of LE 2M, but the timing has to be valid.
        for timing in [timing, uses2M ? timing : nil, coded].compactMap({ $0 }) {
            octets.append(u16: timing.interval)
            octets.append(u16: timing.window)
            octets.append(initial: parameters)
        }
    }
}

/// Ends initiating; a Connection Complete with status 0x02 follows. Core 5.4, Vol 4, Part E, 7.8.13.
package struct LECreateConnectionCancel: HCICommand {
    package static let opcode = HCIOpcode.leCreateConnectionCancel
    package init() {}
}

/// Core 5.4, Vol 4, Part E, 7.8.14.
package struct LEReadFilterAcceptListSize: HCICommand {
    package static let opcode = HCIOpcode.leReadFilterAcceptListSize
    package init() {}

    package struct ReturnParameters: HCIReturnParameters {
        package let size: UInt8

        package init(decoding reader: inout ByteReader) throws(DecodeError) {
            size = try reader.u8("Filter_Accept_List_Size")
        }
    }
}

/// Core 5.4, Vol 4, Part E, 7.8.15.
package struct LEClearFilterAcceptList: HCICommand {
    package static let opcode = HCIOpcode.leClearFilterAcceptList
    package init() {}
}

/// Core 5.4, Vol 4, Part E, 7.8.16.
package struct LEAddDeviceToFilterAcceptList: HCICommand {
    package static let opcode = HCIOpcode.leAddDeviceToFilterAcceptList
    package var address: DeviceAddress

    package init(address: DeviceAddress) { self.address = address }
    package func encode(into octets: inout [UInt8]) { octets.append(address: address) }
}

/// Core 5.4, Vol 4, Part E, 7.8.17.
package struct LERemoveDeviceFromFilterAcceptList: HCICommand {
    package static let opcode = HCIOpcode.leRemoveDeviceFromFilterAcceptList
    package var address: DeviceAddress

    package init(address: DeviceAddress) { self.address = address }
    package func encode(into octets: inout [UInt8]) { octets.append(address: address) }
}

/// Asks for the features of the peer's controller. Core 5.4, Vol 4, Part E, 7.8.21.
package struct LEReadRemoteFeatures: HCICommand {
    package static let opcode = HCIOpcode.leReadRemoteFeatures
    package var handle: UInt16

    package init(handle: UInt16) { self.handle = handle }
    package func encode(into octets: inout [UInt8]) { octets.append(u16: handle) }
}

extension [UInt8] {
    fileprivate mutating func append(address: DeviceAddress) {
        append(address.kind.rawValue)
        append(u48: address.value)
    }

    fileprivate mutating func append(peer target: InitiatorTarget) {
        switch target {
        case .peer(let address): append(address: address)
        case .filterAcceptList: append(contentsOf: [0, 0, 0, 0, 0, 0, 0])
        }
    }

    fileprivate mutating func append(target: InitiatorTarget) {
        append(target == .filterAcceptList ? 1 : 0)
        append(peer: target)
    }

    fileprivate mutating func append(initial parameters: ConnectionParameters) {
        append(u16: parameters.minimumInterval.units)
        append(u16: parameters.maximumInterval.units)
        append(u16: parameters.latency.events)
        append(u16: parameters.timeout.units)
        append(u16: 0)
        append(u16: 0)
    }
}
