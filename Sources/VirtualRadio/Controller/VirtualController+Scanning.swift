// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

/// Scanning by both families of commands.
extension VirtualController {
    static let scanningCommands: [HCIOpcode: ControllerCommand] = [
        .leSetScanParameters: ControllerCommand(26, 2, .complete, .legacy) { controller, reader in
            let type = try reader.u8("scanType")
            let interval = try reader.u16("scanInterval")
            let window = try reader.u16("scanWindow")
            let ownAddressType = try reader.u8("ownAddressType")
            let policy = try reader.u8("filterPolicy")
            try reader.finish()
            guard interval <= 0x4000 else { throw HCIStatus.invalidCommandParameters }
            try controller.setScanParameters(type, interval, window, ownAddressType: ownAddressType, policy: policy)
            return []
        },
        .leSetScanEnable: ControllerCommand(26, 3, .complete, .legacy) { controller, reader in
            let enable = try reader.u8("scanEnable")
            let filter = try reader.u8("filterDuplicates")
            try reader.finish()
            guard enable <= 1, filter <= 1 else { throw HCIStatus.invalidCommandParameters }
            try controller.enableScan(enable == 1, filter: filter, duration: .zero, period: .zero)
            return []
        },
        .leSetExtendedScanParameters: ControllerCommand(37, 5, .complete, .extended) { controller, reader in
            let ownAddressType = try reader.u8("ownAddressType")
            let policy = try reader.u8("filterPolicy")
            let phys = try reader.u8("scanningPHYs")
            guard phys & ~0b101 == 0, phys != 0 else { throw HCIStatus.invalidCommandParameters }
            let type = try reader.u8("scanType")
            let interval = try reader.u16("scanInterval")
            let window = try reader.u16("scanWindow")
            if phys == 0b101 { _ = try reader.bytes(5, "codedPHY") }
            try reader.finish()
            guard phys == 1 || controller.settings.codedPHY else { throw HCIStatus.unsupportedFeature }
            try controller.setScanParameters(type, interval, window, ownAddressType: ownAddressType, policy: policy)
            controller.host.scanner.phys = phys
            return []
        },
        .leSetExtendedScanEnable: ControllerCommand(37, 6, .complete, .extended) { controller, reader in
            let enable = try reader.u8("enable")
            let filter = try reader.u8("filterDuplicates")
            let duration = Duration.milliseconds(10 * Int64(try reader.u16("duration")))
            let period = Duration.milliseconds(1280 * Int64(try reader.u16("period")))
            try reader.finish()
            guard enable <= 1, filter <= 2 else { throw HCIStatus.invalidCommandParameters }
            if enable == 1 {
                guard period == .zero || (duration > .zero && duration < period), filter < 2 || period > .zero else {
                    throw HCIStatus.invalidCommandParameters
                }
            }
            try controller.enableScan(enable == 1, filter: filter, duration: duration, period: period)
            return []
        },
    ]

    private func setScanParameters(
        _ type: UInt8, _ interval: UInt16, _ window: UInt16, ownAddressType: UInt8, policy: UInt8
    ) throws(HCIStatus) {
        guard !host.scanner.isEnabled else { throw .commandDisallowed }
        guard type <= 1, interval >= 4, window >= 4, window <= interval, ownAddressType <= 3, policy <= 3 else {
            throw .invalidCommandParameters
        }
        // Policies 2 and 3 belong to the extended scanner filter policies, which this controller does not have.
        guard policy <= 1 else { throw .unsupportedFeature }
        var scanner = Scanner()
        scanner.isActive = type == 1
        scanner.interval = interval
        scanner.window = window
        scanner.ownAddressType = ownAddressType
        scanner.usesAcceptList = policy == 1
        host.scanner = scanner
    }

    private func enableScan(_ isEnabled: Bool, filter: UInt8, duration: Duration, period: Duration) throws(HCIStatus) {
        guard isEnabled else {
            scanGeneration &+= 1
            host.scanner.isEnabled = false
            return
        }
        try checkScanning()
        _ = try ownAddress(type: host.scanner.ownAddressType, random: host.randomAddress)
        scanGeneration &+= 1
        host.scanner.isEnabled = true
        host.scanner.filtersDuplicates = filter > 0
        host.scanner.forgetsEachPeriod = filter == 2
        host.scanner.startedAt = air.now
        host.scanner.duration = duration
        host.scanner.period = period
        host.scanner.currentPeriod = 0
        host.scanner.seen = []
        if duration > .zero, period == .zero {
            air.agenda.add(.node(id, .scanEnds, generation: scanGeneration), at: air.now + duration)
        }
    }

    func endScan() {
        host.scanner.isEnabled = false
        emit(.scanTimeout, [])
    }

    // MARK: On the air

    /// An advertisement reaches this radio. An active scan also asks for the scan response.
    ///
    /// - Returns: Whether the host gets a report of the advertisement.
    @discardableResult
    func heard(_ pdu: AdvertisingPDU, from advertiser: any AirNode) -> Bool {
        guard host.scanner.isEnabled, !faults.isDeaf, isScanning() else { return false }
        guard pdu.isLegacy || host.commandSet == .extended else { return false }
        guard host.scanner.phys >> (pdu.primaryPHY - 1) & 1 == 1 else { return false }
        var device: SeenDevice?
        if let address = pdu.advertiser {
            guard let found = self.device(at: address) else { return false }
            device = found
        }
        if host.scanner.usesAcceptList {
            guard let device, isInAcceptList(device) else { return false }
        }
        if let target = pdu.target {
            guard let device, isOurs(target, of: device, ownAddressType: host.scanner.ownAddressType) else {
                return false
            }
        }
        let own = try? ownAddress(
            type: host.scanner.ownAddressType, random: host.randomAddress, towards: device?.name)

        var eventType: UInt16 = pdu.isConnectable ? 1 : 0
        if pdu.isScannable { eventType |= 2 }
        if pdu.target != nil { eventType |= 4 }
        if pdu.isLegacy { eventType |= 0x10 }
        let strength = air.measuredStrength(of: advertiser)
        let isTold = report(pdu, of: device, eventType, pdu.data, strength)
        // A lost request or a lost response costs the scan response.
        guard host.scanner.isActive, pdu.isScannable, let own, !air.isLost(), !air.isLost(),
            advertiser.acceptsScanRequest(from: own, set: pdu.set)
        else { return isTold }
        report(pdu, of: device, eventType | 8, pdu.scanResponse, strength)
        return isTold
    }

    private func isScanning() -> Bool {
        let scanner = host.scanner
        if scanner.period > .zero {
            let passed = (air.now - scanner.startedAt).wholeNanoseconds
            let period = scanner.period.wholeNanoseconds
            guard passed % period < scanner.duration.wholeNanoseconds else { return false }
            if scanner.forgetsEachPeriod, passed / period != scanner.currentPeriod {
                host.scanner.currentPeriod = passed / period
                host.scanner.seen = []
            }
        }
        return isOpen(window: scanner.window, interval: scanner.interval, since: scanner.startedAt, at: air.now)
    }

    /// - Returns: Whether the host is told.
    @discardableResult
    private func report(
        _ pdu: AdvertisingPDU, of device: SeenDevice?, _ eventType: UInt16, _ data: [UInt8], _ strength: Int8
    ) -> Bool {
        // If its host does not read, a controller first drops reports.
        guard acceptsData else { return false }
        if host.scanner.filtersDuplicates || faults.has(.tellsOnce) {
            let key = SeenAdvertisement(address: device?.name, eventType: eventType, setID: pdu.setID)
            guard !host.scanner.seen.contains(key) else { return false }
            if host.scanner.seen.count >= Scanner.seenCapacity { host.scanner.seen = [] }
            host.scanner.seen.insert(key)
        }
        if host.commandSet == .extended {
            reportExtended(pdu, of: device, eventType, data, strength)
        } else {
            reportLegacy(device, eventType, data, strength)
        }
        return true
    }

    /// Core 5.4, Vol 4, Part E, 7.7.65.2.
    private func reportLegacy(_ device: SeenDevice?, _ eventType: UInt16, _ data: [UInt8], _ strength: Int8) {
        guard let device else { return }
        let type: UInt8
        switch eventType & 0xF {
        case let bits where bits & 8 != 0: type = 4
        case let bits where bits & 4 != 0: type = 1
        case 3: type = 0
        case 2: type = 2
        default: type = 3
        }
        var parameters: [UInt8] = [1, type]
        parameters.append(device)
        parameters.append(UInt8(clamping: data.count))
        parameters += data.prefix(31)
        parameters.append(UInt8(bitPattern: strength))
        emit(.advertisingReport, parameters)
    }

    /// Core 5.4, Vol 4, Part E, 7.7.65.13. Data beyond one event comes in several events.
    private func reportExtended(
        _ pdu: AdvertisingPDU, of device: SeenDevice?, _ eventType: UInt16, _ data: [UInt8], _ strength: Int8
    ) {
        var start = 0
        repeat {
            let end = min(data.count, start + 229)
            var parameters: [UInt8] = [1]
            parameters.append(u16: eventType | (end < data.count ? 0b01 << 5 : 0))
            if let device {
                parameters.append(device)
            } else {
                parameters += [0xFF, 0, 0, 0, 0, 0, 0]
            }
            parameters += [
                pdu.primaryPHY, pdu.secondaryPHY, pdu.setID, UInt8(bitPattern: pdu.txPower),
                UInt8(bitPattern: strength),
            ]
            parameters.append(u16: 0)
            parameters.append(pdu.target ?? DeviceAddress(kind: .public, value: 0))
            parameters.append(UInt8(end - start))
            parameters += data[start..<end]
            emit(.extendedAdvertisingReport, parameters)
            start = end
        } while start < data.count
    }
}
