// SPDX-License-Identifier: Apache-2.0

/// What the publisher is told of a sensor beside its readings.
package struct SensorDescription: Equatable, Sendable {
    /// `C4:7C:8D:00:11:22`; nil when not known.
    package var address: String?
    /// The name that it advertises, made clean.
    package let name: String?
    /// As its Device Information service has it.
    package var manufacturer: String?
    package var model: String?
    /// The name of the family that its advertisements are of; nil for a sensor with a link.
    package var family: String?
    /// It speaks when something happens, and has no interval.
    package var speaksSeldom: Bool
    /// Its key opens its advertisements, and shows of each that it is the sensor's and whole.
    package var isSealed: Bool
    package var pacing: LivePacingRule

    package init(
        address: String? = nil, name: String? = nil, manufacturer: String? = nil, model: String? = nil,
        family: String? = nil, speaksSeldom: Bool = false, isSealed: Bool = false,
        pacing: LivePacingRule = LivePacingRule()
    ) {
        self.address = address
        self.name = AdvertisedName.clean(name)
        self.manufacturer = manufacturer
        self.model = model
        self.family = family
        self.speaksSeldom = speaksSeldom
        self.isSealed = isSealed
        self.pacing = pacing
    }
}
