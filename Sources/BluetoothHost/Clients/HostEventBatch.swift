// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI
import L2CAP

/// Events of one turn of the radio, with all octets in one place.
///
/// Most events are values and advertisements. They have lists of their own, with small elements: a ``HostEvent`` is
/// many times as large, and each access to an event would copy it.
package struct HostEventBatch: Sendable {
    /// A notification or an indication; see ``HostEvent/value(_:handle:octets:indication:)``.
    package struct Value: Sendable {
        package let link: LinkID
        package let handle: UInt16
        package let indication: IndicationNumber?
        package let octets: Range<Int>
    }

    /// Any other event, with the numbers of values and advertisements before it.
    package struct Other: Sendable {
        package let event: HostEvent
        package let values: Int
        package let advertisements: Int
    }

    package private(set) var values: [Value] = []
    package private(set) var advertisements: [HeardAdvertisement] = []
    package private(set) var others: [Other] = []
    package private(set) var octets: [UInt8] = []
    /// The clients that the batch concerns.
    package private(set) var clients: ClientSet = []
    /// The batch has events beside values, advertisements and data of channels.
    package private(set) var hasNotableEvents = false

    package init() {}

    /// Reserves as much room as `last` used, within bounds: a stream goes on as it began.
    init(after last: HostEventBatch) {
        values.reserveCapacity(min(last.values.count, 4096))
        advertisements.reserveCapacity(min(last.advertisements.count, 1024))
        octets.reserveCapacity(min(last.octets.count, 65_536))
    }

    /// The batch says, among other things, that the controller can be used.
    package var tellsReady: Bool {
        others.contains { if case .stateChanged(.ready, _) = $0.event { true } else { false } }
    }

    package var isEmpty: Bool { values.isEmpty && advertisements.isEmpty && others.isEmpty }

    /// All events in one list, for callers with few events. The order is kept, except between two elements of
    /// ``others``: there, values come before advertisements.
    package var events: [HostEvent] {
        var (events, value, advertisement) = ([HostEvent](), 0, 0)
        func advance(to nextValue: Int, _ nextAdvertisement: Int) {
            for value in values[value..<nextValue] {
                events.append(
                    .value(value.link, handle: value.handle, octets: value.octets, indication: value.indication))
            }
            for heard in advertisements[advertisement..<nextAdvertisement] { events.append(.advertisement(heard)) }
            (value, advertisement) = (nextValue, nextAdvertisement)
        }
        for other in others {
            advance(to: other.values, other.advertisements)
            events.append(other.event)
        }
        advance(to: values.count, advertisements.count)
        return events
    }

    mutating func append(_ event: HostEvent, for clients: ClientSet) {
        appendOther(event, for: clients)
        hasNotableEvents = true
    }

    mutating func appendChannelData(_ channel: ChannelID, _ octets: [UInt8], for client: ClientID) {
        appendOther(.channel(.data(channel, octets)), for: ClientSet(client))
    }

    private mutating func appendOther(_ event: HostEvent, for clients: ClientSet) {
        others.append(Other(event: event, values: values.count, advertisements: advertisements.count))
        self.clients.formUnion(clients)
    }

    mutating func appendValue(
        _ link: LinkID, handle: UInt16, _ value: RawSpan, indication: IndicationNumber?, for clients: ClientSet
    ) {
        let start = octets.count
        value.withUnsafeBytes { octets.append(contentsOf: $0) }
        values.append(Value(link: link, handle: handle, indication: indication, octets: start..<octets.count))
        self.clients.formUnion(clients)
    }

    mutating func appendAdvertisement(of sighting: borrowing Sighting, for clients: ClientSet) {
        let start = octets.count
        octets.append(contentsOf: sighting.data)
        octets.append(contentsOf: sighting.scanResponse)
        advertisements.append(
            HeardAdvertisement(
                address: sighting.address, isConnectable: sighting.isConnectable, rssi: sighting.rssi,
                octets: start..<octets.count, responseAt: sighting.data.count, clients: clients, facts: sighting.facts,
                seenAt: sighting.lastSeen))
        self.clients.formUnion(clients)
    }
}
