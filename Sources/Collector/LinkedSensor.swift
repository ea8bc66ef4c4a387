// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Dispatch
import Foundation
import Logging
import Platform
import Readings

/// A sensor whose values come on a link: notified, indicated or read.
final class LinkedSensor: SensorSource {
    var peripheral: CBPeripheral
    var link: SensorStatus.Link = .unavailable
    var setUp: SetUpMachine?
    /// Characteristics of this link; a machine's token is the index.
    var feeds: [CharacteristicFeed] = []
    /// Those of the set-up before, until this one is done.
    var formerFeeds: [CharacteristicFeed] = []
    /// When to do something about the state the sensor is in: retry, or give up waiting.
    var deadline: DispatchTime?
    /// Where there are fewer links than sensors.
    var turn = SlotTurn()
    /// What it is asked for with, once it is its turn.
    var queuedStep: String?
    /// Links in a row that have brought no value.
    var fruitless = 0
    var pace = LinkPace()
    var radio = RadioTime()
    /// When it is read again; nil where its rule has no polls.
    var polls: PollSchedule?
    /// Between tries to set up a link, while they fail.
    var backoff = Backoff(.seconds(1)...(.seconds(60)))
    /// It has a private address, and no bond says whose that is.
    var isStranger: Bool
    /// Whether there was ever a link to it in this run.
    var wasConnected = false
    /// It has answered something on a link of this run.
    var hasAnswered = false
    /// Candidates in the order in which they came.
    let order: UInt64
    /// Since when it is looked for in this run, in milliseconds since boot.
    let began: Int64

    /// As the controller measured it on the link, dBm.
    var linkRSSI: Int8?
    /// Its link, as the host numbers it, and since when there is one, in milliseconds since boot.
    var linkNumber: UInt32?
    var linkedAt: Int64?
    /// Why we end the link that it has.
    var endCause: String?
    var drops = 0
    var reconnects: [String: Int] = [:]
    var lastDrop: String?
    /// The same until the sensor is connected again: a link that a poll has closed on purpose is no drop.
    var uncountedDrop: String?
    var missing: [String] = []
    /// Points in which its attribute server departs from the specification, as sentences.
    var peculiarities: [String] = []

    /// The question for its maker and model.
    var quest = InformationQuest()

    /// The indicated value that waits for the disk.
    var held: HeldIndication?
    /// What is being done about its silence.
    var quiet = QuietLink.isFine
    /// When its link was made anew for that, in milliseconds since boot.
    var renewedAt: Int64?
    /// Indicated values that waited too long; each cost a link.
    var unconfirmed = 0
    /// Asks for what it has stored, where it does.
    var records: RecordAccess?
    /// Follows the sensor's own numbering, where its rule has one.
    var sequence: SensorSequences?

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

    init(
        peripheral: CBPeripheral, candidate: SensorRule.Candidate, rule: SensorRule, isProven: Bool, order: UInt64,
        pairingPauses: ClosedRange<Duration>, began: Int64 = 0
    ) {
        self.began = began
        pairingBackoff = Backoff(pairingPauses)
        isStranger = peripheral.hasPrivateAddress
        self.order = order
        self.peripheral = peripheral
        sequence = rule.sequence.map { SensorSequences(octets: $0.length) }
        polls = PollSchedule(rule)
        super.init(candidate: candidate, rule: rule, isProven: isProven)
    }

    override var advertisedName: String? { candidate.name ?? peripheral.name }
    override var lastValue: Int64? { (feeds + formerFeeds).compactMap { $0.last?.stamp.uptimeMilliseconds }.max() }
    override var hasLink: Bool { linkedAt != nil }
    /// One value in so many milliseconds is enough; nil: all that it sends is wanted.
    var wantedInterval: Int64? {
        rule.valueInterval?.wholeMilliseconds ?? (rule.subscribe.isEmpty ? polls?.interval : nil)
    }

    override var status: SensorStatus {
        var status = super.status
        (status.link, status.wantedMs) = (link, wantedInterval)
        (status.drops, status.reconnects, status.lastDrop) = (drops, reconnects, lastDrop)
        (status.missing, status.unconfirmed, status.gap) = (missing, unconfirmed, sequence?.missing)
        status.values = (setUp == nil ? feeds : formerFeeds).compactMap(\.status)
        return status
    }

    override var metadata: Logger.Metadata {
        var metadata = super.metadata
        metadata["peer"] = "\(peripheral.address)"
        if let linkNumber { metadata["link"] = "\(linkNumber)" }
        return metadata
    }
}

/// A characteristic that values come from, with everything a reading needs made beforehand.
final class CharacteristicFeed {
    let characteristic: CBCharacteristic
    unowned let sensor: LinkedSensor
    let token: Int
    let device: String
    /// Lower case, as readings carry it; of several characteristics with one UUID those after the first have a number.
    var uuid: String
    /// Its number among the characteristics with this UUID in services with one UUID, by their handles, from 1.
    var instance = 1
    /// The rule's sequence is about characteristics with this UUID.
    private let isInSequence: Bool
    /// Its values are about the sensor.
    let isInformation: Bool
    /// Its values are what the sensor's rule is about.
    var isCollected: Bool
    /// What it stores is asked for there; its values are answers.
    let isControlPoint: Bool
    /// Its values are stored records.
    let isRecord: Bool
    /// It is read again and again.
    var isPolled: Bool
    var reads = ReadTally()
    /// The newest value that came.
    var last: Reading?

    init(characteristic: CBCharacteristic, sensor: LinkedSensor, token: Int) {
        self.characteristic = characteristic
        self.sensor = sensor
        self.token = token
        device = sensor.device
        uuid = characteristic.uuid.uuidString.lowercased()
        let feed = Self.feed(of: characteristic)
        isInSequence = sensor.rule.sequence.map { $0.feed.plain == feed } ?? false
        isInformation = feed.map(DeviceInformation.feeds.contains) ?? false
        isControlPoint = feed == RecordAccess.controlPoint
        isRecord = feed == RecordAccess.measurement
        isPolled =
            sensor.polls != nil && characteristic.properties.contains(.read)
            && sensor.rule.read.contains { $0.plain == feed }
        isCollected = (sensor.rule.read + sensor.rule.subscribe).contains { $0.plain == feed }
    }

    /// Its values carry the sensor's own number.
    var isNumbered: Bool {
        guard isInSequence, let wanted = sensor.rule.sequence?.feed.instance else { return false }
        return wanted == 0 || wanted == instance
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
        last.map { SensorStatus.Value($0) }
    }
}
