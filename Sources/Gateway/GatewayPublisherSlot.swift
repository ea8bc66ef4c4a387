// SPDX-License-Identifier: Apache-2.0

import Publisher
import Readings
import Synchronization

/// The publisher of the moment. A new configuration may put another in its place while sensors stay connected.
final class GatewayPublisherSlot: Sendable {
    private struct State {
        var publisher: Publisher?
        /// Sensors that are online, for a publisher that takes over.
        var online: Set<String> = []
        /// Sensors that were removed, for the same.
        var departed: Set<String> = []
        var historyMode = HistoryMode.normal
        /// Sensors that other gateways take care of.
        var owned: Set<String> = []
        var sharesSensors = false
    }

    private let state = Mutex(State())

    /// Other gateways may take care of the same sensors.
    var sharesSensors: Bool { state.withLock { $0.sharesSensors } }
    func setShares(_ shares: Bool) { state.withLock { $0.sharesSensors = shares } }

    var publisher: Publisher? { state.withLock { $0.publisher } }

    func setAvailability(of device: String, online: Bool) {
        // The publisher only notes it, so the lock also keeps the order.
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

    /// A sensor was heard, or is waited for. Only a publisher that shares sensors is to be woken by that.
    func noteSignal(of device: String, rssi: Int?) {
        let publisher = state.withLock { $0.sharesSensors ? $0.publisher : nil }
        publisher?.noteSignal(of: device, rssi: rssi)
    }

    /// A publisher has learned which gateway takes care of a sensor in place of this one.
    func noteOwner(_ gateway: String?, of device: String) {
        state.withLock { state in
            if gateway != nil { state.owned.insert(device) } else { state.owned.remove(device) }
        }
    }

    /// The sensors that other gateways take care of, for a publisher that will not know; forgets them.
    func takeOwned() -> Set<String> {
        state.withLock { state in
            defer { state.owned = [] }
            return state.owned
        }
    }

    /// The table of sensors says something new of a sensor.
    func described(_ device: String) { publisher?.described(device) }

    /// A publisher that takes over keeps a pause; draining ends with the one that does it.
    func setHistory(_ mode: HistoryMode) {
        state.withLock { state in
            state.historyMode = mode == .draining ? .normal : mode
            state.publisher?.setHistory(mode)
        }
    }

    /// Puts `publisher` in place and tells it which sensors are online.
    func install(_ publisher: Publisher) {
        state.withLock { state in
            state.publisher = publisher
            publisher.setHistory(state.historyMode)
            for device in state.departed { publisher.forget(device) }
            for device in state.online.sorted() { publisher.setAvailability(of: device, online: true) }
        }
    }
}
