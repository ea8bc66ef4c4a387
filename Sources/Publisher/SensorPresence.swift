// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Which sensors are there, which are not, and which were removed; a value.
///
/// What brokers retain of sensors that were removed, and on topics of former runs, is to be looked at once a connection.
struct SensorPresence {
    enum Change: Equatable {
        case none
        /// The first word of a sensor since the start.
        case first
        case changed
    }

    private var isOnline: [String: Bool] = [:]
    /// Sensors that were removed; each connection clears what its broker may still retain of them.
    private var departed: Set<String> = []
    /// When what former runs have had retained is taken back.
    private(set) var formerDue: MonotonicTime?

    // MARK: - Sensors

    mutating func note(_ device: String, isOnline word: Bool) -> Change {
        departed.remove(device)
        guard let known = isOnline.updateValue(word, forKey: device) else { return .first }
        return known == word ? .none : .changed
    }

    /// Nothing is known of the sensor any more.
    mutating func forget(_ device: String) { isOnline[device] = nil }

    /// The sensor was removed.
    ///
    /// - Returns: False where that is known.
    @discardableResult
    mutating func depart(_ device: String) -> Bool { departed.insert(device).inserted }

    func hasDeparted(_ device: String) -> Bool { departed.contains(device) }

    /// Nil for a sensor that nothing was said of.
    subscript(device: String) -> Bool? { isOnline[device] }

    var devices: Dictionary<String, Bool>.Keys { isOnline.keys }

    var inOrder: [(key: String, value: Bool)] { isOnline.sorted { $0.key < $1.key } }

    // MARK: - Former topics

    mutating func expectFormer(at time: MonotonicTime) { formerDue = time }

    /// Whether they are to be looked at now.
    func isFormerDue(at now: MonotonicTime) -> Bool { formerDue.map { $0 <= now } ?? false }

    mutating func lookedAtFormer() { formerDue = nil }
}
