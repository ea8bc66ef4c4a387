// SPDX-License-Identifier: Apache-2.0

/// Facts about a sensor for the publisher, beside its readings.
package struct SensorDescription: Equatable, Sendable {
    /// Usual intervals without a value that are silence, on every surface.
    package static let silentIntervals = 10

    /// `C4:7C:8D:00:11:22`; nil when not known.
    package var address: String?
    /// The advertised name, made clean.
    package let name: String?
    /// As in the sensor's Device Information service.
    package var manufacturer: String?
    package var model: String?
    /// The family of the sensor's advertisements; nil for a sensor with a link.
    package var family: String?
    /// The sensor sends only events, and has no interval.
    package var speaksSeldom: Bool
    /// The sensor's key opens its advertisements, and proves each of them genuine and whole.
    package var isSealed: Bool
    package var pacing: LivePacingRule
    package var facts: OperatorFacts
    /// The limits of its entry; nil for none.
    package var limits: SensorLimits?

    package init(
        address: String? = nil, name: String? = nil, manufacturer: String? = nil, model: String? = nil,
        family: String? = nil, speaksSeldom: Bool = false, isSealed: Bool = false,
        pacing: LivePacingRule = LivePacingRule(), facts: OperatorFacts = OperatorFacts(), limits: SensorLimits? = nil
    ) {
        self.address = address
        self.name = AdvertisedName.clean(name)
        self.manufacturer = manufacturer
        self.model = model
        self.family = family
        self.speaksSeldom = speaksSeldom
        self.isSealed = isSealed
        self.pacing = pacing
        self.facts = facts
        self.limits = limits
    }
}
