// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

/// Advertising by the extended commands. Core 5.4, Vol 4, Part E, 7.8.52–60.
extension VirtualController {
    static let extendedAdvertisingCommands: [HCIOpcode: ControllerCommand] = [
        .leSetAdvertisingSetRandomAddress: ControllerCommand(36, 1, .complete, .extended) { controller, reader in
            let handle = try reader.u8("advertisingHandle")
            let address = DeviceAddress(kind: .random, value: try reader.u48("randomAddress"))
            try reader.finish()
            let set = try controller.extendedSet(handle)
            guard !(set.isEnabled && set.isConnectable) else { throw HCIStatus.commandDisallowed }
            controller.updateAdvertisingSet(handle) { $0.randomAddress = address }
            return []
        },
        .leSetExtendedAdvertisingParameters: ControllerCommand(36, 2, .complete, .extended, returns: 1) {
            controller, reader in
            let handle = try reader.u8("advertisingHandle")
            var set = try reader.extendedAdvertisingParameters()
            guard handle <= 0xEF else { throw HCIStatus.invalidCommandParameters }
            if set.primaryPHY == 3 || set.secondaryPHY == 3, !controller.settings.codedPHY {
                throw HCIStatus.unsupportedFeature
            }
            if let present = controller.host.advertisingSets[handle] {
                guard !present.isEnabled else { throw HCIStatus.commandDisallowed }
                set.randomAddress = present.randomAddress
                set.data = AdvertisingPayload(present.data.octets)
                set.scanResponse = AdvertisingPayload(present.scanResponse.octets)
            } else if controller.host.advertisingSets.count >= controller.settings.advertisingSets {
                throw HCIStatus.memoryCapacityExceeded
            }
            if set.isLegacy, max(set.data.octets.count, set.scanResponse.octets.count) > AdvertisingPayload.legacyLimit
            {
                throw HCIStatus.invalidCommandParameters
            }
            controller.host.advertisingSets[handle] = set
            return [UInt8(bitPattern: txPower)]
        },
        .leSetExtendedAdvertisingData: ControllerCommand(36, 3, .complete, .extended) { controller, reader in
            try controller.receiveAdvertisingData(&reader, \.data)
            return []
        },
        .leSetExtendedScanResponseData: ControllerCommand(36, 4, .complete, .extended) { controller, reader in
            try controller.receiveAdvertisingData(&reader, \.scanResponse)
            return []
        },
        .leSetExtendedAdvertisingEnable: ControllerCommand(36, 5, .complete, .extended) { controller, reader in
            try controller.enableExtendedAdvertising(&reader)
            return []
        },
        .leReadMaximumAdvertisingDataLength: ControllerCommand(36, 6, .complete, .extended, returns: 2) {
            controller, reader in
            try reader.finish()
            return controller.settings.maximumAdvertisingData.octets
        },
        .leReadNumberOfSupportedAdvertisingSets: ControllerCommand(36, 7, .complete, .extended, returns: 1) {
            controller, reader in
            try reader.finish()
            return [controller.settings.advertisingSets]
        },
        .leRemoveAdvertisingSet: ControllerCommand(37, 0, .complete, .extended) { controller, reader in
            let handle = try reader.u8("advertisingHandle")
            try reader.finish()
            guard try !controller.extendedSet(handle).isEnabled else { throw HCIStatus.commandDisallowed }
            controller.host.advertisingSets[handle] = nil
            return []
        },
        .leClearAdvertisingSets: ControllerCommand(37, 1, .complete, .extended) { controller, reader in
            try reader.finish()
            guard !controller.host.advertisingSets.values.contains(where: \.isEnabled) else {
                throw HCIStatus.commandDisallowed
            }
            controller.host.advertisingSets = [:]
            return []
        },
    ]

    private func extendedSet(_ handle: UInt8) throws(HCIStatus) -> AdvertisingSet {
        guard let set = host.advertisingSets[handle] else { throw .unknownAdvertisingIdentifier }
        return set
    }

    private func enableExtendedAdvertising(_ reader: inout ByteReader) throws {
        let enable = try reader.u8("enable")
        let count = try reader.u8("numberOfSets")
        var requests: [(handle: UInt8, duration: Duration?, events: UInt8)] = []
        for _ in 0..<count {
            let handle = try reader.u8("advertisingHandle")
            let duration = try reader.u16("duration")
            let events = try reader.u8("maximumEvents")
            requests.append((handle, duration == 0 ? nil : .milliseconds(10 * Int64(duration)), events))
        }
        try reader.finish()
        guard enable <= 1, enable == 0 || count > 0, Set(requests.map(\.handle)).count == requests.count else {
            throw HCIStatus.invalidCommandParameters
        }
        if enable == 0 {
            let handles = requests.isEmpty ? host.advertisingSets.keys.sorted() : requests.map(\.handle)
            for handle in handles { _ = try extendedSet(handle) }
            for handle in handles { stopAdvertising(set: handle) }
            return
        }
        for request in requests {
            let set = try extendedSet(request.handle)
            guard !set.data.isUnfinished, !set.scanResponse.isUnfinished else { throw HCIStatus.commandDisallowed }
            _ = try ownAddress(type: set.ownAddressType, random: set.randomAddress)
            // Vol 4, Part E, 7.8.56: high duty cycle directed advertising lasts 1.28 s at most.
            if set.isHighDuty, (request.duration ?? .seconds(2)) > .milliseconds(1280) {
                throw HCIStatus.invalidCommandParameters
            }
            try checkAdvertising(set)
        }
        for request in requests {
            startAdvertising(set: request.handle, duration: request.duration, maximumEvents: request.events)
        }
    }

    private func receiveAdvertisingData(
        _ reader: inout ByteReader, _ payload: WritableKeyPath<AdvertisingSet, AdvertisingPayload>
    ) throws {
        let handle = try reader.u8("advertisingHandle")
        let operation = try reader.u8("operation")
        let preference = try reader.u8("fragmentPreference")
        let data = try reader.bytes(Int(try reader.u8("dataLength")), "data")
        try reader.finish()
        guard operation <= 4, preference <= 1, data.count <= 251 else { throw HCIStatus.invalidCommandParameters }
        var set = try extendedSet(handle)
        try set[keyPath: payload].append(
            ArraySlice(data), operation: operation, isEnabled: set.isEnabled, isLegacy: set.isLegacy,
            limit: Int(settings.maximumAdvertisingData))
        host.advertisingSets[handle] = set
    }
}

extension ByteReader {
    fileprivate mutating func extendedAdvertisingParameters() throws -> AdvertisingSet {
        var set = AdvertisingSet()
        let properties = try u16("properties")
        set.minimumInterval = try u24("minimumInterval")
        set.maximumInterval = try u24("maximumInterval")
        let channels = try u8("channelMap")
        set.ownAddressType = try u8("ownAddressType")
        let peerType = try u8("peerAddressType")
        set.peer = DeviceAddress(kind: peerType == 0 ? .public : .random, value: try u48("peerAddress"))
        set.filterPolicy = try u8("filterPolicy")
        _ = try i8("txPower")
        let primaryPHY = try u8("primaryPHY")
        _ = try u8("secondaryMaximumSkip")
        let secondaryPHY = try u8("secondaryPHY")
        set.setID = try u8("advertisingSID")
        _ = try u8("scanRequestNotifications")
        try finish()

        set.isConnectable = properties & 1 != 0
        set.isScannable = properties & 2 != 0
        set.isDirected = properties & 4 != 0
        set.isHighDuty = properties & 8 != 0
        set.isLegacy = properties & 0x10 != 0
        set.isAnonymous = properties & 0x20 != 0
        set.includesTxPower = properties & 0x40 != 0
        guard properties & ~0x7F == 0, channels & 7 != 0, set.ownAddressType <= 3, peerType <= 1,
            set.filterPolicy <= 3, 0x20 <= set.minimumInterval, set.minimumInterval <= set.maximumInterval
        else { throw HCIStatus.invalidCommandParameters }
        if set.isLegacy {
            // Vol 4, Part E, 7.8.53, table of legacy PDU types: the only combinations there are.
            guard [0x13, 0x15, 0x1D, 0x12, 0x10].contains(properties) else { throw HCIStatus.invalidCommandParameters }
            set.setID = 0xFF
        } else {
            guard !(set.isConnectable && set.isScannable), !set.isHighDuty, set.setID <= 0x0F,
                !(set.isAnonymous && set.isConnectable)
            else { throw HCIStatus.invalidCommandParameters }
            guard 1...3 ~= secondaryPHY else { throw HCIStatus.invalidCommandParameters }
            set.secondaryPHY = secondaryPHY
        }
        guard primaryPHY == 1 || primaryPHY == 3 && !set.isLegacy else { throw HCIStatus.invalidCommandParameters }
        set.primaryPHY = primaryPHY
        return set
    }
}
