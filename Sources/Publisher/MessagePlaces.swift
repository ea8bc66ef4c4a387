// SPDX-License-Identifier: Apache-2.0

import MQTT

/// Which message of the machine's an id of the library's stands for.
///
/// The library counts ids up to 65,535 and begins again, whether or not one is still awaited: then the next acknowledgement
/// would settle the wrong message.
struct MessagePlaces {
    private var places: [Int32: Int] = [:]

    /// A message has got an id. Those that nobody acknowledges have ids, too, and no place.
    ///
    /// - Throws: ``MQTTFailure/messageIDsUsedUp`` when another message waits for an acknowledgement under this id.
    mutating func note(_ id: Int32, _ place: Int? = nil) throws(MQTTFailure) {
        if places[id] != nil { throw .messageIDsUsedUp }
        if let place { places[id] = place }
    }

    /// The place of a message that was acknowledged; nil for one that had none.
    mutating func take(_ id: Int32) -> Int? { places.removeValue(forKey: id) }

    mutating func removeAll() { places.removeAll(keepingCapacity: true) }
}
