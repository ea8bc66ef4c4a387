// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// The families to ask about an advertisement, found by the advertisement's own facts: its company, its service data,
/// or, if values are in place of a company, its first octets, its length, its services and its name.
///
/// The work for an advertisement depends on families with the same way of sending, and not on the count of families.
package struct FamilyIndex: Sendable {
    private let byCarrier: [AdvertisementCarrier: [SensorFamily]]
    /// The different lengths of the names' beginnings, in UTF-8 octets.
    private let nameLengths: [Int]
    private let hasNoCompany: Bool
    package let isEmpty: Bool

    /// - Parameter families: A packet of several families belongs to the first of them.
    package init(_ families: [SensorFamily]) {
        var (carriers, lengths): ([AdvertisementCarrier: [SensorFamily]], Set<Int>) = ([:], [])
        var hasNoCompany = false
        for family in families {
            for carrier in Set(family.carriers) {
                carriers[carrier, default: []].append(family)
                switch carrier {
                case .serviceData, .longServiceData, .manufacturer: break
                case .name(let beginning):
                    lengths.insert(beginning.utf8.count)
                    hasNoCompany = true
                case .head, .firstOctet, .length, .service: hasNoCompany = true
                }
            }
        }
        byCarrier = carriers
        nameLengths = lengths.sorted()
        self.hasNoCompany = hasNoCompany
        isEmpty = carriers.isEmpty
    }

    /// Calls `ask` with each family whose place the advertisement uses, until an answer is not nil, and returns this
    /// answer. Families of service data come first, in the order of the UUIDs, then families of the company, then
    /// families without a company.
    package func first<Answer>(
        about advertisement: Advertisement, _ ask: (SensorFamily) -> Answer?
    ) -> Answer? {
        if !advertisement.serviceData.isEmpty {
            for uuid in advertisement.serviceData.keys.sorted() {
                if let answer = answer(.serviceData(uuid), ask) { return answer }
            }
        }
        if !advertisement.longServiceData.isEmpty {
            for uuid in advertisement.longServiceData.keys.sorted(by: { $0.description < $1.description }) {
                if let answer = answer(.longServiceData(uuid), ask) { return answer }
            }
        }
        let data = advertisement.manufacturerData
        guard data.count >= 2 else { return nil }
        let head = UInt16(data[0]) | UInt16(data[1]) << 8
        if let answer = answer(.manufacturer(head), ask) { return answer }
        return hasNoCompany ? withoutCompany(advertisement, head, ask) : nil
    }

    private func withoutCompany<Answer>(
        _ advertisement: Advertisement, _ head: UInt16, _ ask: (SensorFamily) -> Answer?
    ) -> Answer? {
        if let answer = answer(.head(head), ask) ?? answer(.firstOctet(UInt8(truncatingIfNeeded: head)), ask)
            ?? answer(.length(advertisement.manufacturerData.count), ask)
        {
            return answer
        }
        for service in advertisement.services {
            if let answer = answer(.service(service), ask) { return answer }
        }
        guard let name = advertisement.name?.utf8 else { return nil }
        for length in nameLengths where length <= name.count {
            let beginning = String(decoding: name.prefix(length), as: UTF8.self)
            if let answer = answer(.name(beginning), ask) { return answer }
        }
        return nil
    }

    private func answer<Answer>(_ carrier: AdvertisementCarrier, _ ask: (SensorFamily) -> Answer?) -> Answer? {
        guard let families = byCarrier[carrier] else { return nil }
        for family in families {
            if let answer = ask(family) { return answer }
        }
        return nil
    }

    /// The families that ``first(about:_:)`` asks, in their order, if no family answers.
    package func asked(about advertisement: Advertisement) -> [SensorFamily] {
        var asked: [SensorFamily] = []
        _ = first(about: advertisement) { family -> Never? in
            asked.append(family)
            return nil
        }
        return asked
    }
}
