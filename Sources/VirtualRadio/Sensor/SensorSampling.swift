// SPDX-License-Identifier: Apache-2.0

/// Whether a sensor takes values now, whether it was told to, and how many values it has sent on its link; a value.
struct SensorSampling {
    private(set) var isOn = false
    /// Sends no values on this link, even to a subscriber.
    private(set) var isMute = false
    /// A client has written the command that the sensor answers with values.
    private(set) var isCommanded = false
    private var valuesOnLink = 0

    mutating func linkOpened() { self = SensorSampling() }

    /// The link is gone, or the last subscription has ended.
    mutating func stop() { isOn = false }

    /// - Returns: False if values are taken already, or there is no subscriber.
    mutating func start(isSubscribed: Bool) -> Bool {
        guard !isOn, isSubscribed else { return false }
        isOn = true
        return true
    }

    mutating func fallMute() { isMute = true }

    mutating func commanded() { isCommanded = true }

    /// - Parameter limit: Values after which the sensor ends its link; nil for no limit.
    /// - Returns: Whether the limit is reached.
    mutating func sent(limit: Int?) -> Bool {
        valuesOnLink += 1
        return valuesOnLink == limit
    }
}
