// SPDX-License-Identifier: Apache-2.0

/// Facts about a quantity: a row of ``QuantityTable``. Decoders, payloads, Home Assistant, the command line and
/// docs/decoders.md read them.
package struct QuantityDetails: Sendable {
    /// How values of a quantity follow on each other.
    package enum Kind: String, Sendable {
        /// Goes up and down.
        case measurement
        /// Only goes up, until the sensor begins at 0 again.
        case total
        /// 1 or 0.
        case binary
        /// Something that happened, by its name: `press`. An event is not repeated, and is not kept as a state.
        case event
        /// A state by its name, or a sensor's words about itself.
        case text
    }

    /// The readers of the quantity.
    package enum Use: Sendable {
        case measurement
        /// The quantity describes the sensor.
        case diagnostic
        /// The quantity describes the sensor, and few users want it: Home Assistant shows it on request.
        case hidden
    }

    let quantity: Quantity
    package let key: String
    /// For people: `Heart rate`.
    package let name: String
    package let kind: Kind
    /// The constant unit of the quantity's numbers; nil for a count, and for a quantity without a unit.
    package let unit: String?
    /// The number of decimal places to show.
    package let precision: Int
    /// A value is a list of numbers, oldest first.
    package let isList: Bool
    /// The key of OpenMQTTGateway and Theengs; nil for a key of ours.
    package let theengsKey: String?
    /// Home Assistant's device class; nil if Home Assistant has none.
    package let deviceClass: String?
    /// The numbers are amounts that can be compared, not numbers of things.
    package let isAmount: Bool
    package let use: Use
    /// The range of physically possible values, in the quantity's unit; nil: any value. The range of a sensor may be
    /// smaller; its family knows this range.
    package let physicalRange: ClosedRange<Double>?
    /// The names of an event that decoders know, with blanks between.
    let events: String

    init(
        _ quantity: Quantity, _ key: String, _ name: String, _ unit: String? = nil, _ precision: Int = 0,
        kind: Kind = .measurement, list: Bool = false, theengs: String? = nil, home: String? = nil, amount: Bool = true,
        use: Use = .measurement, range: ClosedRange<Double>? = nil, events: String = ""
    ) {
        (self.quantity, self.key, self.name, self.unit, self.precision) = (quantity, key, name, unit, precision)
        (self.kind, isList, isAmount, self.use) = (kind, list, amount, use)
        (theengsKey, deviceClass) = (theengs, home)
        (physicalRange, self.events) = (range, events)
    }
}

extension Field {
    /// The field's number lies in the quantity's range.
    package var isPossible: Bool {
        guard let range = QuantityTable.details[Int(quantity.rawValue)].physicalRange, let number = value.number else {
            return true
        }
        return range.contains(number)
    }
}
