// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The table of sensors: what is known of each, and its newest values with what they mean.
///
/// The collector alone writes it. Status, page, metrics, publisher and explanations read it, on any thread. A value is decoded once:
/// before it comes, where that shows whether it is one, else by the first reader.
package final class SensorTable: Sendable {
    package typealias DecoderOfName = @Sendable (_ characteristic: String) -> Decoders.Decode?
    /// Told of each news about a sensor, before its readings.
    package typealias Observer = @Sendable (_ device: String, _ description: SensorDescription) -> Void

    /// The most sensors, not counting sensors whose entry another part holds.
    private static let maximum = 2_048

    private let entries = Mutex<[String: SensorEntry]>([:])
    /// From entries about one sensor, which need not have been heard.
    private let expected = Mutex<[String: OperatorFacts]>([:])
    /// By a characteristic's name in readings, or a family's.
    package let decoder: DecoderOfName
    private let observer: Observer

    package init(
        whenDescribed: @escaping Observer = { _, _ in },
        decoder: @escaping DecoderOfName = { Decoders.decoder(for: $0) }
    ) {
        self.decoder = decoder
        observer = whenDescribed
    }

    // MARK: - For readers

    /// By the sensor's `<dev>`. An entry that is kept by its reader stays when the sensor has gone.
    package subscript(device: String) -> SensorEntry? { entries.withLock { $0[device] } }

    /// The operator's facts about a sensor, also before it is heard: its earlier rows may wait for the broker.
    package func facts(of device: String) -> OperatorFacts {
        self[device]?.description?.facts ?? expected.withLock { $0[device] } ?? OperatorFacts()
    }

    /// Whether a sensor has such a description.
    package func contains(where isSo: (SensorDescription) -> Bool) -> Bool {
        entries.withLock { Array($0.values) }.contains { $0.description.map(isSo) ?? false }
    }

    // MARK: - For the collector

    /// The entry of a sensor; makes it where there is none. One that nobody holds goes when there are too many.
    package func entry(of device: String) -> SensorEntry {
        entries.withLock { entries in
            if let known = entries[device] { return known }
            if entries.count >= Self.maximum, let place = Self.unused(&entries) { entries.remove(at: place) }
            let new = SensorEntry(decoder)
            entries[device] = new
            return new
        }
    }

    private static func unused(_ entries: inout [String: SensorEntry]) -> Dictionary<String, SensorEntry>.Index? {
        var place = entries.startIndex
        // A copy of the indices would hold the entries, too.
        while place != entries.endIndex {
            if isKnownUniquelyReferenced(&entries.values[place]) { return place }
            entries.formIndex(after: &place)
        }
        return nil
    }

    /// Tells what is known of a sensor, before its readings.
    package func describe(_ device: String, _ description: SensorDescription) {
        if entry(of: device).describe(description) { observer(device, description) }
    }

    /// The facts of entries about one sensor, by `<dev>`, in place of the former ones.
    package func expect(_ facts: [String: OperatorFacts]) { expected.withLock { $0 = facts } }

    /// The sensor was removed.
    package func forget(_ device: String) { entries.withLock { $0[device] = nil } }

    /// Decoders have changed: values are decoded anew when somebody asks.
    package func forgetDecoded() {
        for entry in entries.withLock({ Array($0.values) }) { entry.forgetDecoded() }
    }
}
