// SPDX-License-Identifier: Apache-2.0

import MQTT

/// The machine's message for each message id of the library.
///
/// The library counts ids up to 65,535 and begins again, even if an id is still in use. The next acknowledgement would
/// then settle the wrong message.
struct MessagePlaces {
    private var places: [Int32: Int] = [:]

    /// A message has got an id. Messages without an acknowledgement have ids, too, and no place.
    ///
    /// - Throws: ``MQTTFailure/messageIDsUsedUp`` when another message waits for an acknowledgement under this id.
    mutating func record(_ id: Int32, _ place: Int? = nil) throws(MQTTFailure) {
        if places[id] != nil { throw .messageIDsUsedUp }
        if let place { places[id] = place }
    }

    /// The place of an acknowledged message; nil for a message without a place.
    mutating func take(_ id: Int32) -> Int? { places.removeValue(forKey: id) }

    mutating func removeAll() { places.removeAll(keepingCapacity: true) }
}
