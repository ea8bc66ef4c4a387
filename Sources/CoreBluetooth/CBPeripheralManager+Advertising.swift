// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import Foundation
import HCI
import Synchronization

extension CBPeripheralManager {
    struct Advertising {
        enum Phase {
            case off, starting, on
        }

        var phase = Phase.off
        /// What is advertised, as the application gave it.
        var values: PeripheralSnapshot.Advertisement?
    }

    /// Whether this manager's advertisement is on the air.
    public var isAdvertising: Bool { changing.withLock { $0.advertising.phase == .on } }

    /// Advertises a local name and service UUIDs; other data only by additive keys. `didStartAdvertising` follows.
    ///
    /// 28 octets of the advertisement are for UUIDs and the name, 10 more of the scan response for a name that finds no
    /// room. A name that is longer is shortened; UUIDs that find no room there go to the rest of the scan response.
    public func startAdvertising(_ advertisementData: [String: Any]?) {
        let demand: AdvertisingDemand
        do {
            guard state == .poweredOn else { throw CBError(.unknown, detail: "the manager is not powered on") }
            demand = try AdvertisementComposer(advertisementData ?? [:]).demand
            let isFirst = changing.withLock { state in
                guard state.advertising.phase == .off else { return false }
                state.advertising = Advertising(
                    phase: .starting, values: PeripheralSnapshot.Advertisement(advertisementData ?? [:]))
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

    /// Ends this manager's advertisement; connections stay.
    public func stopAdvertising() {
        changing.withLock { $0.advertising = Advertising() }
        preserve(isNarrower: true)
        withMachine { machine, client, now in machine.setAdvertising(nil, for: client, at: now) }
    }

    // MARK: From the host

    func advertisingStarted(_ error: CBError?) {
        let isAwaited = changing.withLock { state in
            guard state.advertising.phase == .starting else { return false }
            state.advertising.phase = error == nil ? .on : .off
            if error != nil { state.advertising.values = nil }
            return true
        }
        preserve()
        if isAwaited { delegate?.peripheralManagerDidStartAdvertising(self, error: error) }
    }

    func advertisingEnded() {
        changing.withLock { $0.advertising = Advertising() }
        preserve()
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
