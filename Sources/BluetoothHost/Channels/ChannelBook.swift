// SPDX-License-Identifier: Apache-2.0

import L2CAP

/// The clients of all channels, over all links.
struct ChannelBook: Sendable {
    struct Place: Hashable, Sendable {
        let handle: UInt16
        let channel: ChannelIdentifier
    }

    private(set) var places: [ChannelID: (place: Place, client: ClientID)] = [:]
    private var ids: [Place: ChannelID] = [:]
    private var next: UInt32 = 1
    /// By SPSM.
    private(set) var publications: [UInt16: ClientID] = [:]
    /// Requirements of published channels for a link, by SPSM.
    private(set) var requirements: [UInt16: ChannelRequirement] = [:]
    /// Handles of links with an open channel.
    private(set) var links: Set<UInt16> = []

    mutating func publish(_ spsm: UInt16, for client: ClientID, _ requirement: ChannelRequirement) {
        (publications[spsm], requirements[spsm]) = (client, requirement)
    }

    mutating func unpublish(_ spsm: UInt16) { (publications[spsm], requirements[spsm]) = (nil, nil) }

    func id(of place: Place) -> ChannelID? { ids[place] }

    mutating func add(_ place: Place, for client: ClientID) -> ChannelID {
        let id = ChannelID(rawValue: next)
        next &+= 1
        ids[place] = id
        places[id] = (place, client)
        links.insert(place.handle)
        return id
    }

    mutating func remove(_ id: ChannelID) {
        guard let place = places.removeValue(forKey: id)?.place else { return }
        ids.removeValue(forKey: place)
        if !ids.keys.contains(where: { $0.handle == place.handle }) { links.remove(place.handle) }
    }
}
