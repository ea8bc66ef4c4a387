// SPDX-License-Identifier: Apache-2.0

import Platform
import Publisher
import Readings
import Synchronization

/// Holds the present publisher. A new configuration may install a new publisher while sensors stay connected.
final class GatewayPublisherSlot: Sendable {
    private struct State {
        var publisher: Publisher?
        /// Online sensors, for the next publisher.
        var online: Set<String> = []
        /// Removed sensors, for the next publisher.
        var departed: Set<String> = []
        var historyMode = HistoryMode.normal
        /// Sensors owned by other gateways.
        var owned: Set<String> = []
        var sharesSensors = false
    }

    private let state = Mutex(State())
    /// All publishers of this process share the nonce.
    let nonce = {
        var randomness = Randomness.system
        return NameClaim.makeNonce(&randomness)
    }()

    /// Other gateways may own the same sensors.
    var sharesSensors: Bool { state.withLock { $0.sharesSensors } }
    func setShares(_ shares: Bool) { state.withLock { $0.sharesSensors = shares } }

    var publisher: Publisher? { state.withLock { $0.publisher } }

    func setAvailability(of device: String, online: Bool) {
        // The publisher only notes the state, so the lock also keeps the order.
        state.withLock { state in
            if online { state.online.insert(device) } else { state.online.remove(device) }
            state.departed.remove(device)
            state.publisher?.setAvailability(of: device, online: online)
        }
    }

    /// A sensor was removed.
    func forget(_ device: String) {
        state.withLock { state in
            state.online.remove(device)
            state.departed.insert(device)
            state.publisher?.forget(device)
        }
    }

    /// A sensor was heard, or is awaited. Wakes only a publisher that shares sensors.
    func recordSignal(of device: String, rssi: Int?) {
        let publisher = state.withLock { $0.sharesSensors ? $0.publisher : nil }
        publisher?.recordSignal(of: device, rssi: rssi)
    }

    /// Notes that another gateway owns a sensor, or no longer does.
    func recordOwner(_ gateway: String?, of device: String) {
        state.withLock { state in
            if gateway != nil { state.owned.insert(device) } else { state.owned.remove(device) }
        }
    }

    /// Returns the sensors owned by other gateways, because the next publisher does not know them. Empties the list.
    func takeOwned() -> Set<String> {
        state.withLock { state in
            defer { state.owned = [] }
            return state.owned
        }
    }

    /// The table of sensors says something new of a sensor.
    func described(_ device: String) { publisher?.described(device) }

    /// The next publisher keeps a pause. Draining ends with its publisher.
    func setHistory(_ mode: HistoryMode) {
        state.withLock { state in
            state.historyMode = mode == .draining ? .normal : mode
            state.publisher?.setHistory(mode)
        }
    }

    /// Installs `publisher` and tells it the online sensors.
    func install(_ publisher: Publisher) {
        state.withLock { state in
            state.publisher = publisher
            publisher.setHistory(state.historyMode)
            for device in state.departed { publisher.forget(device) }
            for device in state.online.sorted() { publisher.setAvailability(of: device, online: true) }
        }
    }
}
