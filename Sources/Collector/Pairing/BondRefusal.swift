// SPDX-License-Identifier: Apache-2.0

/// Why a bond was not removed, in words for a person.
package struct BondRefusal: Error, Equatable, Sendable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}
