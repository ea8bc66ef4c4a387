// SPDX-License-Identifier: Apache-2.0

/// When the ends of links prove that a peer cannot bear a request. One end proves nothing: the peer may have gone out of reach at
/// that moment.
package enum LinkEndHabit {
    /// Links in a row that ended during a request, from which on the request is left out.
    package static let limit = 3
    /// After so long the request is made again, once: the peer may have another firmware.
    package static let pause: Duration = .seconds(24 * 3600)
}
