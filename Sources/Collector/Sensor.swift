// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Dispatch
import Foundation
import Platform
import Readings

/// One sensor that a rule accepted. Lives on the collector's queue.
final class Sensor {
    /// What the sensor was accepted by; judged again when the rules change.
    var candidate: SensorRule.Candidate
    var peripheral: CBPeripheral
    var rule: SensorRule
    /// The `<dev>` of topics.
    var device: String

    var link: SensorStatus.Link = .unavailable
    var setUp: SetUpMachine?
    /// Characteristics of this link; a machine's token is the index.
    var feeds: [CharacteristicFeed] = []
    /// Those of the set-up before, until this one is done.
    var formerFeeds: [CharacteristicFeed] = []
    /// When to do something about the state the sensor is in: retry, or give up waiting.
    var deadline: DispatchTime?
    /// Between tries to set up a link, while they fail.
    var backoff = Backoff(.seconds(1)...(.seconds(60)))
    var isRemoved = false
    /// Whether the sensor once worked, in this run or an earlier one. Until then it is a candidate: nothing but an
    /// advertisement, which anybody can send, speaks for it.
    var isProven: Bool
    /// It has a private address, and no bond says whose that is.
    var isStranger: Bool
    /// Whether there was ever a link to it in this run.
    var wasConnected = false
    /// Candidates in the order in which they came.
    let order: UInt64
    /// Whether the broker was told that this sensor is online.
    var isAnnounced = false

    /// What it says of its make, as far as that was asked for.
    var information = DeviceInformation()
    var rssi: Int8?
    /// As the controller measured it on the link, dBm.
    var linkRSSI: Int8?
    /// When a scan last told of it.
    var heardAt: DispatchTime?
    /// The same, in milliseconds since boot.
    var heardUptime: Int64?
    /// What happened to it, for `martlet why`.
    var events = SensorEvents()
    /// Its link, as the host numbers it, and since when there is one, in milliseconds since boot.
    var linkNumber: UInt32?
    var linkedAt: Int64?
    /// Why we end the link that it has.
    var endCause: String?
    var silence = SilenceWatch()
    var readings = 0
    var drops = 0
    var reconnects: [String: Int] = [:]
    var lastDrop: String?
    var lastFailure: String?
    var missing: [String] = []

    /// The indicated value that waits for the disk.
    var held: HeldIndication?
    /// Indicated values that waited too long; each cost a link.
    var unconfirmed = 0
    /// Follows the sensor's own numbering, where its rule has one.
    var sequence: SequenceMachine?

    /// The pairing that goes on.
    var pairing: Task<Void, Never>?
    /// It interrupts a link on which values flow.
    var wasCollecting = false
    /// Tells the pairings of one sensor apart.
    var pairingCount = 0
    /// The bond that nobody has asked for, and under which no value has come yet.
    var unprovenBond: UUID?
    /// It was collected without a bond in this run.
    var worksUnpaired = false
    /// The person who wants it paired, at the control socket.
    var dialogue: PairingDialogue?
    /// Whether the agent will hear of the end of a pairing of ours.
    enum OwnEnd {
        case none
        case expected
        /// The code that began it has told of it meanwhile.
        case told
    }

    var ownEnd = OwnEnd.none
    /// Between pairings by itself, while they fail; none begins before.
    var pairingBackoff: Backoff
    var nextPairing = DispatchTime.now()
    /// What is wrong with its security, and what to do about it.
    var trouble: String?

    init(
        peripheral: CBPeripheral, candidate: SensorRule.Candidate, rule: SensorRule, isProven: Bool, order: UInt64,
        pairingPauses: ClosedRange<Duration>
    ) {
        pairingBackoff = Backoff(pairingPauses)
        self.isProven = isProven
        isStranger = peripheral.hasPrivateAddress
        self.order = order
        self.peripheral = peripheral
        self.candidate = candidate
        self.rule = rule
        device = Self.device(of: candidate, rule: rule)
        sequence = rule.sequence.map { SequenceMachine(octets: $0.length) }
    }

    /// What it calls itself, fit for payloads and logs.
    var name: String? { AdvertisedName.clean(candidate.name ?? peripheral.name) }

    /// The configured id, else the digits of the address, else of the identifier, which is as stable.
    static func device(of candidate: SensorRule.Candidate, rule: SensorRule) -> String {
        if let id = rule.id { return id }
        if let address = candidate.address { return DeviceAddress(kind: .public, value: address).compact }
        return String(candidate.identifier.uuidString.lowercased().filter { $0 != "-" }.suffix(12))
    }

    var status: SensorStatus {
        SensorStatus(
            id: device, name: candidate.name ?? peripheral.name,
            address: candidate.address.map { DeviceAddress(kind: .public, value: $0).description },
            identifier: candidate.identifier.uuidString, link: link, rssi: rssi.map(Int.init), readings: readings,
            drops: drops, reconnects: reconnects, lastDrop: lastDrop, lastFailure: lastFailure, trouble: trouble,
            security: nil, missing: missing, unconfirmed: unconfirmed, gap: sequence?.missing,
            values: (setUp == nil ? feeds : formerFeeds).compactMap(\.status))
    }
}

/// A characteristic that values come from, with everything a reading needs made beforehand.
final class CharacteristicFeed {
    let characteristic: CBCharacteristic
    unowned let sensor: Sensor
    let token: Int
    let device: String
    /// Lower case, as readings carry it.
    let uuid: String
    /// Its values carry the sensor's own number.
    let isNumbered: Bool
    /// Its values are about the sensor.
    let isInformation: Bool
    /// Its values are what the sensor's rule is about.
    let isCollected: Bool
    var reads = ReadTally()
    /// The newest value that came.
    var last: Reading?

    init(characteristic: CBCharacteristic, sensor: Sensor, token: Int) {
        self.characteristic = characteristic
        self.sensor = sensor
        self.token = token
        device = sensor.device
        uuid = characteristic.uuid.uuidString.lowercased()
        let feed = Self.feed(of: characteristic)
        isNumbered = sensor.rule.sequence.map { $0.feed == feed } ?? false
        isInformation = feed.map(DeviceInformation.feeds.contains) ?? false
        isCollected = feed.map { sensor.rule.read.contains($0) || sensor.rule.subscribe.contains($0) } ?? false
    }

    /// What a rule would call it.
    var feed: SensorRule.Feed? { Self.feed(of: characteristic) }

    private static func feed(of characteristic: CBCharacteristic) -> SensorRule.Feed? {
        guard let service = characteristic.service.flatMap({ BluetoothUUID($0.uuid.uuidString) }),
            let uuid = BluetoothUUID(characteristic.uuid.uuidString)
        else { return nil }
        return SensorRule.Feed(service: service, characteristic: uuid)
    }

    var status: SensorStatus.Value? {
        last.map {
            SensorStatus.Value(
                characteristic: uuid, value: $0.value.hexadecimal, source: $0.source.rawValue,
                uptimeMs: $0.stamp.uptimeMilliseconds, unixMs: $0.stamp.unixMilliseconds,
                fields: Decoders.decoded(characteristic: uuid, value: $0.value))
        }
    }
}
