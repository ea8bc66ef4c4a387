// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

/// Advertising by the legacy commands, and the events of both families.
extension VirtualController {
    static let advertisingCommands: [HCIOpcode: ControllerCommand] = [
        .leSetAdvertisingParameters: ControllerCommand(25, 5, .complete, .legacy) { controller, reader in
            var set = try reader.legacyAdvertisingParameters()
            guard !controller.host.legacyAdvertising.isEnabled else { throw HCIStatus.commandDisallowed }
            set.data = controller.host.legacyAdvertising.data
            set.scanResponse = controller.host.legacyAdvertising.scanResponse
            controller.host.legacyAdvertising = set
            return []
        },
        .leReadAdvertisingPhysicalChannelTxPower: ControllerCommand(25, 6, .complete, .legacy, returns: 1) {
            _, reader in
            try reader.finish()
            return [UInt8(bitPattern: txPower)]
        },
        .leSetAdvertisingData: ControllerCommand(25, 7, .complete, .legacy) { controller, reader in
            controller.host.legacyAdvertising.data = AdvertisingPayload(try reader.legacyAdvertisingData())
            return []
        },
        .leSetScanResponseData: ControllerCommand(26, 0, .complete, .legacy) { controller, reader in
            controller.host.legacyAdvertising.scanResponse = AdvertisingPayload(
                try reader.legacyAdvertisingData())
            return []
        },
        .leSetAdvertisingEnable: ControllerCommand(26, 1, .complete, .legacy) { controller, reader in
            let enable = try reader.u8("advertisingEnable")
            try reader.finish()
            guard enable <= 1 else { throw HCIStatus.invalidCommandParameters }
            guard enable == 1 else {
                controller.stopAdvertising(set: nil)
                return []
            }
            let set = controller.host.legacyAdvertising
            _ = try controller.ownAddress(type: set.ownAddressType, random: controller.host.randomAddress)
            if !set.isEnabled {
                try controller.checkAdvertising(set)
                // Vol 4, Part E, 7.8.9: high duty cycle directed advertising ends by itself.
                controller.startAdvertising(set: nil, duration: set.isHighDuty ? .milliseconds(1280) : nil)
            }
            return []
        },
    ]

    // MARK: Both families

    func advertisingSet(_ set: UInt8?) -> AdvertisingSet? {
        guard let set else { return host.legacyAdvertising }
        return host.advertisingSets[set]
    }

    func updateAdvertisingSet(_ set: UInt8?, _ change: (inout AdvertisingSet) -> Void) {
        if let set {
            if var changed = host.advertisingSets[set] {
                change(&changed)
                host.advertisingSets[set] = changed
            }
        } else {
            change(&host.legacyAdvertising)
        }
    }

    func startAdvertising(set: UInt8?, duration: Duration?, maximumEvents: UInt8 = 0) {
        let generation = nextGeneration(of: set)
        updateAdvertisingSet(set) {
            $0.isEnabled = true
            $0.events.begin(maximum: maximumEvents)
        }
        if let duration {
            air.agenda.add(.node(id, .advertisingEnds(set: set), generation: generation), at: air.now + duration)
        }
        let delay = Duration.microseconds(air.random.below(5_000))
        air.agenda.add(.node(id, .advertise(set: set), generation: generation), at: air.now + delay)
    }

    func stopAdvertising(set: UInt8?) {
        _ = nextGeneration(of: set)
        updateAdvertisingSet(set) { $0.isEnabled = false }
    }

    private func nextGeneration(of set: UInt8?) -> UInt32 {
        let generation = (generations[set] ?? 0) &+ 1
        generations[set] = generation
        return generation
    }

    /// One advertising event.
    func advertise(set: UInt8?, generation: UInt32) {
        guard let advertising = advertisingSet(set), advertising.isEnabled else { return }
        if let pdu = pdu(of: advertising, set: set) { air.transmit(pdu, from: self) }
        guard generation == generations[set], let current = advertisingSet(set), current.isEnabled else { return }
        var isLast = false
        updateAdvertisingSet(set) { isLast = $0.events.happened() }
        if isLast {
            endAdvertising(set: set, status: .limitReached)
            return
        }
        let interval = current.interval(choosing: &air.random)
        air.agenda.add(.node(id, .advertise(set: set), generation: generation), at: air.now + interval)
    }

    private func pdu(of set: AdvertisingSet, set handle: UInt8?) -> AdvertisingPDU? {
        let random = handle == nil ? host.randomAddress : set.randomAddress
        guard let address = try? ownAddress(type: set.ownAddressType, random: random, towards: set.peer) else {
            return nil
        }
        let target = set.isDirected ? target(for: set.peer, ownAddressType: set.ownAddressType) : nil
        return AdvertisingPDU(
            set: handle, advertiser: set.isAnonymous ? nil : address, target: target,
            isConnectable: set.isConnectable, isScannable: set.isScannable, isLegacy: set.isLegacy,
            data: set.isDirected && set.isLegacy ? [] : set.data.octets, scanResponse: set.scanResponse.octets,
            setID: set.setID,
            primaryPHY: set.primaryPHY, secondaryPHY: set.secondaryPHY,
            txPower: set.includesTxPower ? Self.txPower : 0x7F)
    }

    /// The time or the number of events is used up.
    func endAdvertising(set: UInt8?, status: HCIStatus) {
        guard let advertising = advertisingSet(set), advertising.isEnabled else { return }
        stopAdvertising(set: set)
        if advertising.isHighDuty {
            emitConnectionFailure(.advertisingTimeout, as: .peripheral, peer: advertising.peer)
        }
        if let set { emit(.advertisingSetTerminated, [status.rawValue, set, 0, 0, advertising.events.count]) }
    }

    func acceptsScanRequest(from scanner: DeviceAddress, set: UInt8?) -> Bool {
        guard let advertising = advertisingSet(set), advertising.isEnabled else { return false }
        guard let device = device(at: scanner) else { return false }
        return advertising.filterPolicy & 1 == 0 || isInAcceptList(device)
    }

    func acceptsConnection(from initiator: DeviceAddress, set: UInt8?) -> Bool {
        guard let advertising = advertisingSet(set), advertising.isEnabled, advertising.isConnectable,
            !isWedged, host.links.count < settings.maximumLinks
        else { return false }
        guard let device = device(at: initiator) else { return false }
        if advertising.isDirected { return device.isMeant(by: advertising.peer) }
        return advertising.filterPolicy & 2 == 0 || isInAcceptList(device)
    }
}

extension ByteReader {
    fileprivate mutating func legacyAdvertisingData() throws -> [UInt8] {
        let length = Int(try u8("dataLength"))
        let data = try bytes(31, "data")
        try finish()
        guard length <= 31 else { throw HCIStatus.invalidCommandParameters }
        return Array(data.prefix(length))
    }

    fileprivate mutating func legacyAdvertisingParameters() throws -> AdvertisingSet {
        var set = AdvertisingSet()
        set.minimumInterval = UInt32(try u16("minimumInterval"))
        set.maximumInterval = UInt32(try u16("maximumInterval"))
        let type = try u8("advertisingType")
        set.ownAddressType = try u8("ownAddressType")
        let peerType = try u8("peerAddressType")
        let peer = try u48("peerAddress")
        let channels = try u8("channelMap")
        set.filterPolicy = try u8("filterPolicy")
        try finish()
        guard type <= 4, set.ownAddressType <= 3, peerType <= 1, channels & 7 != 0, set.filterPolicy <= 3 else {
            throw HCIStatus.invalidCommandParameters
        }
        set.peer = DeviceAddress(kind: peerType == 0 ? .public : .random, value: peer)
        set.isHighDuty = type == 1
        set.isDirected = type == 1 || type == 4
        set.isConnectable = type == 0 || set.isDirected
        set.isScannable = type == 0 || type == 2
        // High duty cycle directed advertising ignores the intervals.
        let intervals = set.minimumInterval...max(set.minimumInterval, set.maximumInterval)
        guard
            set.isHighDuty
                || (set.minimumInterval <= set.maximumInterval && 0x20...0x4000 ~= intervals.lowerBound
                    && intervals.upperBound <= 0x4000)
        else { throw HCIStatus.invalidCommandParameters }
        return set
    }
}
