// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Present, absent and removed sensors; a value.
///
/// Each connection checks once which messages the broker retains about removed sensors and on topics of former runs. With
/// several gateways, the loss of a sensor's owner repeats the check.
struct SensorPresence {
    enum Change: Equatable {
        case none
        /// The sensor's first report since the start.
        case first
        case changed
    }

    private var isOnline: [String: Bool] = [:]
    /// Removed sensors; each connection clears the broker's retained messages about them.
    private var departed: Set<String> = []
    /// Topics with `offline` for sensors without a report in this run: true when the broker has taken the message.
    private var offline: [String: Bool] = [:]
    /// When to clear the retained messages of former runs.
    private(set) var formerDue: MonotonicTime?

    // MARK: - Sensors

    mutating func record(_ device: String, isOnline word: Bool) -> Change {
        departed.remove(device)
        guard let known = isOnline.updateValue(word, forKey: device) else { return .first }
        return known == word ? .none : .changed
    }

    /// Nothing is known about the sensor any more.
    mutating func forget(_ device: String) { isOnline[device] = nil }

    /// The sensor was removed.
    ///
    /// - Returns: False if this is known.
    @discardableResult
    mutating func depart(_ device: String) -> Bool { departed.insert(device).inserted }

    func hasDeparted(_ device: String) -> Bool { departed.contains(device) }

    /// Nil for a sensor without a report.
    subscript(device: String) -> Bool? { isOnline[device] }

    var devices: Dictionary<String, Bool>.Keys { isOnline.keys }

    var inOrder: [(key: String, value: Bool)] { isOnline.sorted { $0.key < $1.key } }

    // MARK: - Former topics

    /// Whether to tell that a sensor without a report is offline: once until another gateway has the sensor.
    mutating func needsWord(on topic: String) -> Bool {
        offline.updateValue(offline[topic] ?? false, forKey: topic) != true
    }

    /// Another gateway speaks for the sensor of the topic, and may say `online`.
    mutating func mayHaveChanged(_ topic: String) { offline[topic] = nil }

    /// The broker has taken a message on this topic.
    mutating func taken(_ topic: String) { if offline[topic] != nil { offline[topic] = true } }

    mutating func expectFormer(at time: MonotonicTime) { formerDue = time }

    /// Whether to check the former topics now.
    func isFormerDue(at now: MonotonicTime) -> Bool { formerDue.map { $0 <= now } ?? false }

    mutating func lookedAtFormer() { formerDue = nil }
}
