// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// One sensor in the ``SensorTable``: what is known of it, and its newest values.
package final class SensorEntry: Sendable {
    private struct State {
        var description: SensorDescription?
        var values = ShownValues()
    }

    private let state = Mutex(State())
    private let decoder: SensorTable.DecoderOfName

    init(_ decoder: @escaping SensorTable.DecoderOfName) { self.decoder = decoder }

    /// Nil while the sensor has not worked.
    package var description: SensorDescription? { state.withLock { $0.description } }
    /// When the newest value came, in milliseconds since boot.
    package var newestAt: Int64? { state.withLock { $0.values.newestAt } }
    /// The newest values, decoded: each once, however many ask. They have the operator's offsets.
    package var values: [LatestValue] {
        let (values, facts) = state.withLock {
            ($0.values.decoded(by: decoder), $0.description?.facts ?? OperatorFacts())
        }
        return facts.offsets.isEmpty ? values : values.map { $0.corrected(by: facts) }
    }

    /// The decoded fields of a value among the newest, as the sensor sent them; `pending` if later values have replaced it.
    package func decoding(of value: [UInt8], _ characteristic: String) -> LatestValue.Decoding {
        state.withLock { $0.values.decoding(of: value, characteristic, by: decoder) }
    }

    // MARK: - For who collects from the sensor

    /// - Returns: Whether it differs from what was known.
    func describe(_ description: SensorDescription) -> Bool {
        state.withLock { state in
            guard state.description != description else { return false }
            state.description = description
            return true
        }
    }

    /// Takes a value that came on a link, in the place of its characteristic's last one.
    package func record(_ reading: Reading) { state.withLock { $0.values.record(reading) } }

    /// Takes an advertised value.
    ///
    /// - Parameters:
    ///   - fields: As its family has decoded it; nil: not decoded yet.
    ///   - isSealed: A key has shown that the packet is whole.
    package func record(_ reading: Reading, about fields: [Field]?, isSealed: Bool) {
        let fields = fields ?? decoder(reading.characteristic).flatMap { try? $0(reading.value) }
        state.withLock { $0.values.record(reading, about: fields, isSealed: isSealed) }
    }

    /// An operator does not want the quantity.
    ///
    /// - Returns: False where it was not shown.
    package func drop(_ quantity: String) -> Bool { state.withLock { $0.values.drop(quantity) } }

    /// Values of other characteristics are collected no more.
    package func keep(_ characteristics: Set<String>) { state.withLock { $0.values.keep(characteristics) } }

    /// The sensor has another name from now on.
    package func moveValues(to other: SensorEntry) {
        let values = state.withLock { state in
            defer { state.values = ShownValues() }
            return state.values
        }
        other.state.withLock { $0.values = values }
    }

    /// Another device may be the sensor from now on.
    package func removeValues() { state.withLock { $0.values = ShownValues() } }

    func forgetDecoded() { state.withLock { $0.values.forgetDecoded() } }
}
