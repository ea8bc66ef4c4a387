// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Readings

/// What there is to say of the gateway itself, and what of it has been said; a value.
struct GatewayNews {
    private(set) var information: GatewayInformation
    /// How updates of the image stand; nil where the gateway was not flashed.
    private(set) var update: ImageUpdate?
    /// The same, as it was told on this connection.
    private var toldUpdate: ImageUpdate?
    /// The last event of the radio that was told.
    private var toldRadio: UInt64 = 0
    private var nextStatistics = MonotonicTime.zero

    init(_ information: GatewayInformation) { self.information = information }

    /// A connection begins: all of it is news there, but for what happened once.
    mutating func begin() {
        toldUpdate = nil
        nextStatistics = .zero
    }

    /// - Returns: Whether it differs from what is known.
    mutating func take(_ information: GatewayInformation) -> Bool {
        guard information != self.information else { return false }
        self.information = information
        return true
    }

    // MARK: - Updates

    mutating func take(_ update: ImageUpdate?) { self.update = update }

    /// What is to be told of updates; nil where that is told. It counts as told.
    mutating func takeUpdate() -> ImageUpdate? {
        guard let update, update != toldUpdate else { return nil }
        toldUpdate = update
        return update
    }

    /// Whoever was told may not know it any more.
    mutating func repeatUpdate() { toldUpdate = nil }

    // MARK: - The radio

    /// Whether there is something to tell; events are numbered and come in their order.
    func isUntold(_ event: RadioHealth.Event) -> Bool { event.number > toldRadio }

    mutating func told(_ event: RadioHealth.Event) { toldRadio = max(toldRadio, event.number) }

    // MARK: - Statistics

    func statisticsWait(from now: MonotonicTime) -> Duration { nextStatistics - now }

    /// Whether statistics are due; then the next are after `interval`.
    mutating func takeStatistics(at now: MonotonicTime, every interval: Duration) -> Bool {
        guard now >= nextStatistics else { return false }
        nextStatistics = now + interval
        return true
    }
}
