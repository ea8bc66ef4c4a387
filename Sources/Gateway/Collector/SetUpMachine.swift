// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Brings a fresh link to where values flow: finds just the services and characteristics asked for, reads what is to be
/// read once, then subscribes.
///
/// What a sensor lacks is reported and does not keep the rest from working: one rule may be about many kinds of sensor.
/// A sensor with nothing to offer is a failure.
struct SetUpMachine: Sendable {
    typealias Feed = SensorRule.Feed

    /// A characteristic as it was found; `token` is the caller's own name for it.
    struct Found: Equatable, Sendable {
        var token: Int
        var uuid: BluetoothUUID
        var canSubscribe: Bool
        var canRead: Bool
        /// Subscribed to already: services or the rule changed on a living link.
        var isNotifying = false
    }

    enum Effect: Equatable, Sendable {
        case discoverServices([BluetoothUUID])
        /// `service` is the index in what `foundServices` was given.
        case discoverCharacteristics([BluetoothUUID], service: Int)
        case read(token: Int)
        case subscribe(token: Int)
        /// Values flow; `missing` says what does not work of what was asked for.
        case succeeded(missing: [String])
        case failed(String)
    }

    private let reads: [Feed]
    private let subscriptions: [Feed]
    /// What is looked for besides, and may be missing.
    private let extras: [Feed]
    /// Services whose characteristics are awaited, by index.
    private var openServices: [Int: BluetoothUUID] = [:]
    private var toRead: [Int: Feed] = [:]
    private var toSubscribe: [Int: Feed] = [:]
    private var pendingReads: [Int: Feed] = [:]
    private var pendingSubscriptions: [Int: Feed] = [:]
    private var working = 0
    private var wantedAndFound: Set<Feed> = []
    private var problems: [String] = []
    private var isFinished = false

    init(reads: [Feed], subscriptions: [Feed], extras: [Feed] = []) {
        self.reads = reads
        self.subscriptions = subscriptions
        self.extras = extras
    }

    func begin() -> [Effect] {
        var seen: Set<BluetoothUUID> = []
        return [.discoverServices((reads + subscriptions + extras).map(\.service).filter { seen.insert($0).inserted })]
    }

    mutating func foundServices(_ services: [BluetoothUUID]) -> [Effect] {
        // Services that change while they are being looked for are looked for again: the newest answer counts.
        guard !isFinished, pendingReads.isEmpty, pendingSubscriptions.isEmpty else { return [] }
        (openServices, toSubscribe, toRead, wantedAndFound, problems, working) = ([:], [:], [:], [], [], 0)
        var effects: [Effect] = []
        for (index, service) in services.enumerated() {
            var seen: Set<BluetoothUUID> = []
            let wanted = (reads + subscriptions + extras).filter { $0.service == service }.map(\.characteristic)
                .filter { seen.insert($0).inserted }
            guard !wanted.isEmpty else { continue }
            openServices[index] = service
            effects.append(.discoverCharacteristics(wanted, service: index))
        }
        return effects.isEmpty ? fail("the sensor has none of the services asked for") : effects
    }

    /// Whether nothing that the rule asks for is in a service.
    func isExtra(service index: Int) -> Bool {
        openServices[index].map { service in !(reads + subscriptions).contains { $0.service == service } } ?? false
    }

    func awaitsCharacteristics(ofService index: Int) -> Bool { !isFinished && openServices[index] != nil }

    mutating func foundCharacteristics(_ found: [Found], service index: Int) -> [Effect] {
        guard !isFinished, let service = openServices.removeValue(forKey: index) else { return [] }
        for characteristic in found {
            let feed = Feed(service: service, characteristic: characteristic.uuid)
            if reads.contains(feed) {
                wantedAndFound.insert(feed)
                if characteristic.isNotifying {
                    // A notification could pass for the answer; and its values come anyhow.
                    working += 1
                } else if characteristic.canRead {
                    toRead[characteristic.token] = feed
                } else {
                    problems.append("\(feed) cannot be read")
                }
            }
            if subscriptions.contains(feed) {
                wantedAndFound.insert(feed)
                if characteristic.canSubscribe {
                    toSubscribe[characteristic.token] = feed
                } else {
                    problems.append("\(feed) neither notifies nor indicates")
                }
            }
        }
        guard openServices.isEmpty else { return [] }
        var seen: Set<Feed> = []
        for feed in reads + subscriptions where !wantedAndFound.contains(feed) && seen.insert(feed).inserted {
            problems.append("\(feed) is not there")
        }
        (pendingReads, toRead) = (toRead, [:])
        guard !pendingReads.isEmpty else { return subscribe() }
        return pendingReads.keys.sorted().map { .read(token: $0) }
    }

    /// Reads come before subscriptions, so that it is plain which is which where a characteristic offers both.
    mutating func didRead(token: Int, error: String?) -> [Effect] {
        guard !isFinished, let feed = pendingReads.removeValue(forKey: token) else { return [] }
        if let error { problems.append("\(feed): \(error)") } else { working += 1 }
        return pendingReads.isEmpty ? subscribe() : []
    }

    mutating func didSubscribe(token: Int, error: String?) -> [Effect] {
        guard !isFinished, let feed = pendingSubscriptions.removeValue(forKey: token) else { return [] }
        if let error { problems.append("\(feed): \(error)") } else { working += 1 }
        return pendingSubscriptions.isEmpty ? finish() : []
    }

    /// A step as a whole went wrong.
    mutating func failed(_ reason: String) -> [Effect] { isFinished ? [] : fail(reason) }

    private mutating func subscribe() -> [Effect] {
        (pendingSubscriptions, toSubscribe) = (toSubscribe, [:])
        guard !pendingSubscriptions.isEmpty else { return finish() }
        return pendingSubscriptions.keys.sorted().map { .subscribe(token: $0) }
    }

    private mutating func finish() -> [Effect] {
        guard working > 0 else { return fail(problems.joined(separator: "; ")) }
        isFinished = true
        return [.succeeded(missing: problems)]
    }

    private mutating func fail(_ reason: String) -> [Effect] {
        isFinished = true
        return [.failed(reason)]
    }
}

extension SensorRule.Feed: CustomStringConvertible {
    /// `180D/2A37`.
    package var description: String { "\(service)/\(characteristic)" }
}
