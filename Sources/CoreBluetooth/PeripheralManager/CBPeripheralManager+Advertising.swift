// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import Foundation
import HCI
import Logging
import Synchronization

extension CBPeripheralManager {
    struct Advertising {
        enum Phase {
            case off, starting, on
            /// An earlier run has begun the advertisement: no delegate waits for `didStartAdvertising`.
            case resuming
        }

        var phase = Phase.off
        /// The application's dictionary for the advertisement.
        var values: PeripheralSnapshot.Advertisement?
    }

    var isOnAir: Bool { changing.withLock { $0.advertising.phase == .on || $0.advertising.phase == .resuming } }

    /// `isRestored`: it ran when the last run ended, and runs for the application from now on.
    func advertise(_ advertisementData: [String: Any]?, isRestored: Bool = false) {
        let demand: AdvertisingDemand
        do {
            guard state == .poweredOn else { throw CBError(.unknown, detail: "the manager is not powered on") }
            let composer = try AdvertisementComposer(advertisementData ?? [:])
            demand = composer.demand
            if !composer.leftOut.isEmpty {
                controller.logger.warning(
                    "services are not advertised: the advertisement has no room for them",
                    metadata: ["services": "\(composer.leftOut.map(\.description).joined(separator: ", "))"])
            }
            if composer.leavesNameOut {
                controller.logger.warning("the name is not advertised: the advertisement has no room for it")
            }
            let isFirst = changing.withLock { state in
                guard state.advertising.phase == .off else { return false }
                state.advertising = Advertising(
                    phase: isRestored ? .resuming : .starting,
                    values: PeripheralSnapshot.Advertisement(advertisementData ?? [:]))
                return true
            }
            guard isFirst else { throw CBError(.alreadyAdvertising) }
        } catch {
            queue.async { [weak self] in
                self.map { $0.delegate?.peripheralManagerDidStartAdvertising($0, error: error) }
            }
            return
        }
        withMachine { machine, client, now in machine.setAdvertising(demand, for: client, at: now) }
    }

    func endAdvertising() {
        changing.withLock { $0.advertising = Advertising() }
        preserve(isNarrower: true)
        withMachine { machine, client, now in machine.setAdvertising(nil, for: client, at: now) }
    }

    // MARK: From the host

    func advertisingStarted(_ error: CBError?) {
        let isAwaited = changing.withLock { state in
            let phase = state.advertising.phase
            guard phase == .starting || phase == .resuming else { return false }
            state.advertising.phase = error == nil ? .on : .off
            if error != nil { state.advertising.values = nil }
            // The delegate knows that the advertisement goes on; an error is new.
            return phase == .starting || error != nil
        }
        preserve()
        if isAwaited { delegate?.peripheralManagerDidStartAdvertising(self, error: error) }
    }

    func advertisingEnded() {
        changing.withLock { $0.advertising = Advertising() }
    }
}

extension CBError {
    init(advertising status: HCIStatus) {
        switch status {
        case .memoryCapacityExceeded, .connectionLimitExceeded: self.init(.outOfSpace, detail: status.description)
        default: self.init(connection: status)
        }
    }
}
