// SPDX-License-Identifier: Apache-2.0

/// Decides when the ends of links prove that a peer cannot handle a request. A single end proves nothing: the peer may
/// have gone out of reach at this moment.
package enum LinkEndHabit {
    /// After this number of links in a row that ended during a request, the request is left out.
    package static let limit = 3
    /// After this time the request is made again, once: the peer may have new firmware.
    package static let pause: Duration = .seconds(24 * 3600)
}
