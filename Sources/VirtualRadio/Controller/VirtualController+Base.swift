// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

/// Controller & baseband, informational and status commands, and the LE commands of these kinds.
extension VirtualController {
    /// Bluetooth 5.4.
    static let coreVersion: UInt8 = 0x0D
    static let subversion: UInt16 = 1
    static let txPower: Int8 = 0
    static let maximumDataOctets: UInt16 = 251
    static let maximumDataTime: UInt16 = 2120

    static let baseCommands: [HCIOpcode: ControllerCommand] = [
        .setEventMask: ControllerCommand(5, 6) { controller, reader in
            let mask = try reader.u64("eventMask")
            try reader.finish()
            controller.host.eventMask = mask
            return []
        },
        .reset: ControllerCommand(5, 7) { controller, reader in
            try reader.finish()
            controller.reset()
            return []
        },
        .readTransmitPowerLevel: ControllerCommand(10, 2, returns: 3, repeatsHandle: true) { controller, reader in
            let handle = try reader.u16("connectionHandle")
            let type = try reader.u8("type")
            try reader.finish()
            guard type <= 1 else { throw HCIStatus.invalidCommandParameters }
            _ = try controller.link(handle)
            return handle.octets + [UInt8(bitPattern: txPower)]
        },
        .setEventMaskPage2: ControllerCommand(22, 2) { _, reader in
            // This controller has no event of page 2; the mask is accepted and changes nothing.
            _ = try reader.u64("eventMaskPage2")
            try reader.finish()
            return []
        },
        .readLocalVersionInformation: ControllerCommand(14, 3, returns: 8) { controller, reader in
            try reader.finish()
            let company = controller.settings.company.octets
            return [coreVersion] + subversion.octets + [coreVersion] + company + subversion.octets
        },
        .readLocalSupportedCommands: ControllerCommand(14, 4, returns: 64) { controller, reader in
            try reader.finish()
            return controller.supportedCommands
        },
        .readLocalSupportedFeatures: ControllerCommand(14, 5, returns: 8) { _, reader in
            try reader.finish()
            // BR/EDR Not Supported, LE Supported (Controller).
            return [0, 0, 0, 0, 0x60, 0, 0, 0]
        },
        .readBufferSize: ControllerCommand(14, 7, returns: 7) { controller, reader in
            try reader.finish()
            if controller.faults.has(.sharedBuffers) {
                let count = UInt16(controller.settings.aclDataCount)
                // No synchronous data: 0 octets, 0 packets.
                return controller.settings.aclDataLength.octets + [0] + count.octets + [0, 0]
            }
            // All zero: only LE Read Buffer Size gives the buffers.
            return [UInt8](repeating: 0, count: 7)
        },
        .readBDADDR: ControllerCommand(15, 1, returns: 6) { controller, reader in
            try reader.finish()
            var returned: [UInt8] = []
            returned.append(u48: controller.publicAddress.value)
            return returned
        },
        .readRSSI: ControllerCommand(15, 5, returns: 3, repeatsHandle: true) { controller, reader in
            let handle = try reader.u16("connectionHandle")
            try reader.finish()
            let link = try controller.link(handle)
            let peer = link.link.end(link.role.other).node
            return handle.octets + [UInt8(bitPattern: controller.air.measuredStrength(of: peer))]
        },
        .leSetEventMask: ControllerCommand(25, 0) { controller, reader in
            let mask = try reader.u64("leEventMask")
            try reader.finish()
            controller.host.leEventMask = mask
            return []
        },
        .leReadBufferSize: ControllerCommand(25, 1, returns: 3) { controller, reader in
            try reader.finish()
            guard !controller.faults.has(.sharedBuffers) else { return [0, 0, 0] }
            return controller.settings.aclDataLength.octets + [controller.settings.aclDataCount]
        },
        .leReadLocalSupportedFeatures: ControllerCommand(25, 2, returns: 8) { controller, reader in
            try reader.finish()
            return controller.leFeatures.octets
        },
        .leSetRandomAddress: ControllerCommand(25, 4) { controller, reader in
            let address = DeviceAddress(kind: .random, value: try reader.u48("randomAddress"))
            try reader.finish()
            guard !controller.host.legacyAdvertising.isEnabled, !controller.host.scanner.isEnabled,
                controller.host.initiator == nil
            else { throw HCIStatus.commandDisallowed }
            controller.host.randomAddress = address
            return []
        },
        .leReadFilterAcceptListSize: ControllerCommand(26, 6, returns: 1) { controller, reader in
            try reader.finish()
            return [controller.settings.acceptListSize]
        },
        .leClearFilterAcceptList: ControllerCommand(26, 7) { controller, reader in
            try reader.finish()
            try controller.checkAcceptListIsFree()
            controller.host.acceptList = []
            return []
        },
        .leAddDeviceToFilterAcceptList: ControllerCommand(27, 0) { controller, reader in
            let address = try reader.acceptListEntry()
            try controller.checkAcceptListIsFree()
            guard let address, !controller.host.acceptList.contains(address) else { return [] }
            guard controller.host.acceptList.count < controller.settings.acceptListSize else {
                throw HCIStatus.memoryCapacityExceeded
            }
            controller.host.acceptList.append(address)
            return []
        },
        .leRemoveDeviceFromFilterAcceptList: ControllerCommand(27, 1) { controller, reader in
            let address = try reader.acceptListEntry()
            try controller.checkAcceptListIsFree()
            controller.host.acceptList.removeAll { $0 == address }
            return []
        },
        .leRand: ControllerCommand(27, 7, returns: 8) { controller, reader in
            try reader.finish()
            var returned: [UInt8] = []
            returned.append(u64: controller.air.random.next())
            return returned
        },
        .leReadSupportedStates: ControllerCommand(28, 3, returns: 8) { controller, reader in
            try reader.finish()
            var returned: [UInt8] = []
            returned.append(u64: controller.settings.claimedStates ?? controller.states)
            return returned
        },
    ]

    /// One bit for each command that the controller does not answer with Unknown HCI Command.
    private var supportedCommands: [UInt8] {
        var bitmap = [UInt8](repeating: 0, count: 64)
        for command in Self.commands.values where implements(command) { bitmap[command.octet] |= 1 << command.bit }
        return bitmap
    }

    func reset() {
        for set in generations.keys { generations[set, default: 0] &+= 1 }
        scanGeneration &+= 1
        // The links go without a notice; their peers learn of it by the supervision time-out.
        host = HostSettings()
        isWedged = false
        faults.reset()
        openParameterRequests = []
        air.vanish(self)
    }

    /// The list must not change while it is in use. Core 5.4, Vol 4, Part E, 7.8.15–17.
    private func checkAcceptListIsFree() throws(HCIStatus) {
        let sets = [host.legacyAdvertising] + host.advertisingSets.values
        if sets.contains(where: { $0.isEnabled && $0.filterPolicy != 0 }) { throw .commandDisallowed }
        if host.scanner.isEnabled, host.scanner.usesAcceptList { throw .commandDisallowed }
        if let initiator = host.initiator, initiator.peer == nil { throw .commandDisallowed }
    }
}

extension ByteReader {
    /// Nil for devices that advertise anonymously (type 0xFF): no connection to them is possible.
    fileprivate mutating func acceptListEntry() throws -> DeviceAddress? {
        let type = try u8("addressType")
        let value = try u48("address")
        try finish()
        if type == 0xFF { return nil }
        guard let kind = DeviceAddress.Kind(rawValue: type) else { throw HCIStatus.invalidCommandParameters }
        return DeviceAddress(kind: kind, value: value)
    }
}

extension UInt16 {
    var octets: [UInt8] { [UInt8(truncatingIfNeeded: self), UInt8(truncatingIfNeeded: self >> 8)] }
}

extension LEFeatures {
    var octets: [UInt8] {
        var octets: [UInt8] = []
        octets.append(u64: rawValue)
        return octets
    }
}
