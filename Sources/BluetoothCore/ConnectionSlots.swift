// SPDX-License-Identifier: Apache-2.0

/// The links of a controller, and the limit of its links.
package struct ConnectionSlots: Codable, Hashable, Sendable {
    /// Links that are up, links to phones included.
    package var used: Int
    /// Nil until the controller has refused a further link: the controller does not give its limit beforehand.
    package var limit: Int?

    package init(used: Int, limit: Int? = nil) { (self.used, self.limit) = (used, limit) }

    package var free: Int? { limit.map { max(0, $0 - used) } }
}
