// SPDX-License-Identifier: Apache-2.0

/// A value that a sensor sent, with what its decoder has made of it.
package struct LatestValue: Equatable, Sendable {
    package enum Decoding: Equatable, Sendable {
        /// No reader has needed the fields yet.
        case pending
        /// Nil: no decoder understands it. Empty: the sensor said that it does not know.
        case done([Field]?)
    }

    package let reading: Reading
    package internal(set) var decoding: Decoding
    /// The fields have an operator's offsets.
    package private(set) var isCorrected = false

    init(reading: Reading, decoding: Decoding, isCorrected: Bool = false) {
        (self.reading, self.decoding, self.isCorrected) = (reading, decoding, isCorrected)
    }

    /// A value whose fields are known.
    package init(_ reading: Reading, about fields: [Field]) { self.init(reading: reading, decoding: .done(fields)) }

    /// The fields, once they are decoded.
    package var fields: [Field]? { if case .done(let fields) = decoding { fields } else { nil } }

    /// The value with the operator's offsets.
    func corrected(by facts: OperatorFacts) -> LatestValue {
        guard let fields else { return self }
        return LatestValue(reading: reading, decoding: .done(facts.corrected(fields)), isCorrected: true)
    }

    /// Decodes the value where that has not been done.
    @discardableResult
    mutating func decode(by decoder: SensorTable.DecoderOfName) -> [Field]? {
        if case .done(let fields) = decoding { return fields }
        let fields: [Field]? = decoder(reading.characteristic).flatMap { try? $0(reading.value) }
        decoding = .done(fields)
        return fields
    }
}
