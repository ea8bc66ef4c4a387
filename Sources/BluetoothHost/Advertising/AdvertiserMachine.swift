// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

/// Brings one advertiser of the controller (the legacy advertiser or an extended set) to its wanted state, one command
/// at a time.
package struct AdvertiserMachine: Sendable {
    package enum Effect: Equatable, Sendable {
        case setParameters(AdvertisingParameters)
        /// The random address of this advertiser. With the legacy commands, the whole controller has this address.
        case setAddress(DeviceAddress)
        case setData([UInt8], AdvertisingDataOperation)
        case setScanResponse([UInt8], AdvertisingDataOperation)
        case enable(isHighDuty: Bool)
        case disable
        /// Removes the set before it gets parameters of another sort (legacy or extended PDUs).
        case remove
    }

    /// The controller refused a command. `isFinal`: a retry would fail too.
    package struct Refusal: Equatable, Sendable {
        package let effect: Effect
        package let status: HCIStatus
        package let isFinal: Bool
    }

    package static let retryDelay: Duration = .milliseconds(500)
    /// After this many refusals in a row, a refusal is final.
    package static let refusalLimit = 6

    private let isExtended: Bool
    /// Whether the advertiser is on; nil when uncertain.
    private var isEnabled: Bool? = false
    private var parameters: AdvertisingParameters?
    private var address: DeviceAddress?
    /// The data in the controller; nil when uncertain.
    private var data: [UInt8]? = []
    private var scanResponse: [UInt8]? = []
    /// Octets handed over so far, if the data goes in parts.
    private var parts: [UInt8] = []
    /// The last scan response handed over, and the scan response refused by the controller. The advertiser runs without
    /// a refused scan response.
    private var offeredScanResponse: [UInt8] = []
    private var refusedScanResponse: [UInt8]?
    private var command: Effect?
    private var hasEnded = false
    private var retry: MonotonicTime?
    private var refusals = 0

    package init(isExtended: Bool, address: DeviceAddress? = nil) {
        self.isExtended = isExtended
        self.address = address
    }

    package var isChanging: Bool { command != nil }

    /// The advertiser is on, or may be.
    package var isActive: Bool { isEnabled != false || command == .disable || isEnabling }

    private var isEnabling: Bool { if case .enable = command { true } else { false } }

    /// When to try again after a refusal.
    package var deadline: MonotonicTime? { command == nil ? retry : nil }

    package func isRunning(_ setup: AdvertisingSetup) -> Bool {
        isEnabled == true && command == nil && parameters == setup.parameters && isAddressed(setup)
            && data == setup.data && hasScanResponse(of: setup)
    }

    /// The address of connectable advertisements that are on, or may be; nil: none are. A public address is a
    /// placeholder for the controller's own.
    package var connectableAddress: DeviceAddress? {
        guard isEnabled != false || isEnabling, let parameters, parameters.kind.isConnectable else { return nil }
        return parameters.ownAddress == .public ? DeviceAddress(kind: .public, value: 0) : address
    }

    private func hasScanResponse(of setup: AdvertisingSetup) -> Bool {
        scanResponse == setup.scanResponse || refusedScanResponse == setup.scanResponse
    }

    private func isAddressed(_ setup: AdvertisingSetup) -> Bool {
        setup.address.kind == .public || address == setup.address
    }

    /// The controller has a new random address. The legacy advertiser shares this address.
    package mutating func hasControllerAddress(_ new: DeviceAddress) {
        if !isExtended { address = new }
    }

    /// The next step needs a controller without other work, because its only random address changes.
    package func needsQuiet(for setup: AdvertisingSetup?) -> Bool {
        guard let setup, !isExtended else { return false }
        return !isAddressed(setup)
    }

    /// The next command towards advertising `setup`, or towards silence without a `setup`; nil: none now. `isQuiet`:
    /// nothing else uses the radio.
    package mutating func next(wanted setup: AdvertisingSetup?, isQuiet: Bool, at now: MonotonicTime) -> Effect? {
        guard command == nil else { return nil }
        if let retry, retry > now { return nil }
        retry = nil
        command = step(towards: setup, isQuiet: isQuiet)
        offeredScanResponse = setup?.scanResponse ?? []
        return command
    }

    private func step(towards setup: AdvertisingSetup?, isQuiet: Bool) -> Effect? {
        guard let isEnabled else { return .disable }
        guard let setup else { return isEnabled ? .disable : nil }
        let keepsParameters = parameters == setup.parameters && isAddressed(setup)
        if isEnabled {
            // A set accepts data in several parts only while it is off.
            let fits = max(setup.data.count, setup.scanResponse.count) <= LESetExtendedAdvertisingData.capacity
            let hasNewData = data != setup.data || !hasScanResponse(of: setup)
            guard keepsParameters, fits || !hasNewData else { return .disable }
            return hasNewData ? dataStep(towards: setup) : nil
        }
        if parameters != setup.parameters {
            let isOther = parameters.map { $0.usesLegacyPDUs != setup.parameters.usesLegacyPDUs } ?? false
            // The present data may be too long for the other sort of PDUs.
            return isExtended && isOther ? .remove : .setParameters(setup.parameters)
        }
        if !isAddressed(setup) { return isExtended || isQuiet ? .setAddress(setup.address) : nil }
        return dataStep(towards: setup) ?? .enable(isHighDuty: setup.parameters.kind.isHighDuty)
    }

    private func dataStep(towards setup: AdvertisingSetup) -> Effect? {
        if data != setup.data {
            let (part, operation) = part(of: setup.data)
            return .setData(part, operation)
        }
        if !hasScanResponse(of: setup) {
            let (part, operation) = part(of: setup.scanResponse)
            return .setScanResponse(part, operation)
        }
        return nil
    }

    private func part(of octets: [UInt8]) -> ([UInt8], AdvertisingDataOperation) {
        let capacity = LESetExtendedAdvertisingData.capacity
        guard octets.count > capacity else { return (octets, .complete) }
        guard !parts.isEmpty, octets.count > parts.count, octets.starts(with: parts) else {
            return (Array(octets.prefix(capacity)), .first)
        }
        let part = octets.dropFirst(parts.count).prefix(capacity)
        return (Array(part), part.endIndex == octets.endIndex ? .last : .intermediate)
    }

    /// Takes the status of the command from ``next(wanted:isQuiet:at:)``.
    package mutating func answered(_ status: HCIStatus, at now: MonotonicTime) -> Refusal? {
        guard let command else { return nil }
        self.command = nil
        defer { hasEnded = false }
        guard status == .success else { return refused(command, status, at: now) }
        switch command {
        case .setParameters(let new): parameters = new
        case .setAddress(let new): address = new
        case .setData(let part, let operation): append(part, operation, into: \.data)
        case .setScanResponse(let part, let operation): append(part, operation, into: \.scanResponse)
        case .enable:
            isEnabled = !hasEnded
            refusals = 0
        case .disable: isEnabled = false
        case .remove: forgetSet()
        }
        return nil
    }

    private mutating func append(
        _ part: [UInt8], _ operation: AdvertisingDataOperation, into place: WritableKeyPath<Self, [UInt8]?>
    ) {
        switch operation {
        case .complete: (self[keyPath: place], parts) = (part, [])
        case .first: (self[keyPath: place], parts) = (nil, part)
        case .intermediate: parts += part
        case .last: (self[keyPath: place], parts) = (parts + part, [])
        }
    }

    private mutating func forgetSet() {
        parameters = nil
        if isExtended { address = nil }
        (data, scanResponse, parts) = ([], [], [])
    }

    private mutating func refused(_ command: Effect, _ status: HCIStatus, at now: MonotonicTime) -> Refusal? {
        parts = []
        if status == .unknownAdvertisingIdentifier {
            // The controller does not know the set (any more).
            forgetSet()
            isEnabled = false
            return nil
        }
        switch command {
        case .disable:
            // Command Disallowed: the advertiser is off already.
            isEnabled = status == .commandDisallowed ? false : nil
            if isEnabled == nil { retry = now + Self.retryDelay }
            return nil
        case .enable:
            isEnabled = hasEnded ? false : nil
            // The controller dislikes some part of the set-up. The next attempt hands over all parts again.
            (parameters, data, scanResponse) = (nil, nil, nil)
        case .setParameters, .setAddress, .setData, .setScanResponse, .remove:
            // The advertiser is on, although this machine took it for off.
            if status == .commandDisallowed { isEnabled = nil }
        }
        refusals += 1
        retry = now + Self.retryDelay
        let mayPass: Set<HCIStatus> = [
            .commandDisallowed, .controllerBusy, .connectionLimitExceeded, .connectionRejectedLimitedResources,
            .unspecifiedError,
        ]
        let isFinal = !mayPass.contains(status) || refusals >= Self.refusalLimit
        if isFinal { refusals = 0 }
        if isFinal, case .setScanResponse = command {
            refusedScanResponse = offeredScanResponse
            return nil
        }
        return Refusal(effect: command, status: status, isFinal: isFinal)
    }

    /// The controller stopped by itself: a peer connected, or the time is over.
    package mutating func ended() {
        isEnabled = false
        hasEnded = command != nil
    }
}
