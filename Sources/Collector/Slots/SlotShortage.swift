// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// More sensors want a link than the controller bears.
package struct SlotShortage: Codable, Equatable, Sendable {
    /// Sensors that have a link, want a link, or will want a link for their next poll.
    package var sensors: Int
    /// The links for these sensors, without the links of phones.
    package var links: Int

    package init(sensors: Int, links: Int) { (self.sensors, self.links) = (sensors, links) }

    /// Nil if there are enough links. A known shortage continues while sensors rest whose polls will bring it back.
    init?(claims: Int, resting: Int, links: Int, isKnown: Bool) {
        guard claims > links || isKnown && claims + resting > links else { return nil }
        self.init(sensors: claims + resting, links: links)
    }

    package var words: String {
        guard links > 0 else { return "other devices hold all links" }
        return "\(sensors) sensors share \(links) \(links == 1 ? "link" : "links")"
    }
}

extension LinkEndReason {
    /// The controller, or the sensor, has no room for a further link: Core 5.4, Vol 1, Part F, 2.9 and 2.13.
    var isLackOfSlots: Bool { rawValue == 0x09 || rawValue == 0x0D }
}
