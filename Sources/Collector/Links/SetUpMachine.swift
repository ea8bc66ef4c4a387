// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Readings

/// Prepares a new link until values flow: finds only the requested services and characteristics, reads the values to be
/// read once, and then subscribes.
///
/// Missing characteristics are reported, and the remaining characteristics still work, because a rule may be about many
/// kinds of sensors. The set-up fails if a sensor has nothing of the rule.
struct SetUpMachine: Sendable {
    typealias Feed = SensorRule.Feed

    /// A found characteristic; `token` is the caller's own name for the characteristic.
    struct Found: Equatable, Sendable {
        var token: Int
        var uuid: BluetoothUUID
        var canSubscribe: Bool
        var canRead: Bool
        /// Already subscribed: services or the rule changed on a living link.
        var isNotifying = false
    }

    enum Effect: Equatable, Sendable {
        case discoverServices([BluetoothUUID])
        /// `service` is the index in the services of `foundServices`.
        case discoverCharacteristics([BluetoothUUID], service: Int)
        /// No requested service is present. The answer lists the present services.
        case discoverAllServices
        case discoverAllCharacteristics(service: Int)
        /// The characteristic is the `instance`th with its UUID, 2 or more. The name of its readings contains the
        /// number.
        case number(token: Int, instance: Int)
        /// The characteristic is the `instance`th with its UUID in services of equal UUID, 2 or more, as the rule
        /// counts.
        case place(token: Int, instance: Int)
        /// The rule names other characteristics of this UUID, but not this characteristic.
        case leaveOut(token: Int)
        case read(token: Int)
        /// The characteristic neither notifies nor indicates. Its value is read again and again.
        case readInstead(token: Int)
        case subscribe(token: Int)
        /// Values flow; `missing` lists the requests that do not work.
        case succeeded(missing: [String])
        case failed(String)
    }

    /// Limit of services or characteristics that a message names; a sensor can have thousands.
    private static let maximumNames = 8

    private let reads: [Feed]
    private let subscriptions: [Feed]
    /// Additional characteristics that may be missing.
    private let extras: [Feed]
    /// The rule accepts a sensor with only some of the services, so the other services are not reported as missing.
    private let takesAnyService: Bool
    /// Services whose characteristics are awaited, by index.
    private var openServices: [Int: BluetoothUUID] = [:]
    /// Services with something to collect, by index.
    private var wantedServices: [Int: BluetoothUUID] = [:]
    /// Wanted services whose characteristics the sensor does not list.
    private var untold: Set<Int> = []
    /// The services and characteristics of a sensor without any requested characteristic; awaited for the message
    /// alone.
    private enum Survey {
        case services
        /// The characteristics of these services; the characteristics found so far.
        case characteristics([Int: BluetoothUUID], [Feed])
    }
    private var survey: Survey?
    /// The characteristics of each service, by its index.
    private var arrived: [Int: [Found]] = [:]
    private var services: [Int: BluetoothUUID] = [:]
    private var toRead: [Int: Feed] = [:]
    private var toSubscribe: [Int: Feed] = [:]
    private var pendingReads: [Int: Feed] = [:]
    private var pendingSubscriptions: [Int: Feed] = [:]
    private var readInstead: [Int] = []
    private var working = 0
    private var wantedAndFound: Set<Feed> = []
    private var problems: [String] = []
    private var isFinished = false

    init(reads: [Feed], subscriptions: [Feed], extras: [Feed] = [], takesAnyService: Bool = false) {
        self.takesAnyService = takesAnyService
        self.reads = reads
        self.subscriptions = subscriptions
        self.extras = extras
    }

    func begin() -> [Effect] {
        var seen: Set<BluetoothUUID> = []
        return [.discoverServices((reads + subscriptions + extras).map(\.service).filter { seen.insert($0).inserted })]
    }

    mutating func foundServices(_ services: [BluetoothUUID]) -> [Effect] {
        // Services that change during the search are searched again: the newest answer counts.
        guard !isFinished, pendingReads.isEmpty, pendingSubscriptions.isEmpty else { return [] }
        (openServices, toSubscribe, toRead, wantedAndFound, problems, working) = ([:], [:], [:], [], [], 0)
        readInstead = []
        (wantedServices, arrived, self.services, untold) = ([:], [:], [:], [])
        let isWanted = Set((reads + subscriptions).map(\.service))
        for (index, service) in services.enumerated() where isWanted.contains(service) {
            wantedServices[index] = service
        }
        guard !wantedServices.isEmpty else {
            if case .services = survey { return fail(lack(insteadOf: services)) }
            survey = .services
            return [.discoverAllServices]
        }
        survey = nil
        var effects: [Effect] = []
        for (index, service) in services.enumerated() {
            var seen: Set<BluetoothUUID> = []
            let wanted = (reads + subscriptions + extras).filter { $0.service == service }.map(\.characteristic)
                .filter { seen.insert($0).inserted }
            guard !wanted.isEmpty else { continue }
            openServices[index] = service
            effects.append(.discoverCharacteristics(wanted, service: index))
        }
        return effects
    }

    /// Whether the rule itself needs nothing from the service.
    func isExtra(service index: Int) -> Bool {
        openServices[index].map { service in !(reads + subscriptions).contains { $0.service == service } } ?? false
    }

    func awaitsCharacteristics(ofService index: Int) -> Bool { !isFinished && openServices[index] != nil }

    /// The sensor refuses to list the characteristics of a service. `answer`: its answer. The other services continue.
    mutating func refusedCharacteristics(service index: Int, _ answer: String) -> [Effect] {
        guard awaitsCharacteristics(ofService: index) else { return [] }
        if !isExtra(service: index), let service = openServices[index] {
            untold.insert(index)
            problems.append("characteristics of \(service): \(answer)")
        }
        return foundCharacteristics([], service: index)
    }

    mutating func foundCharacteristics(_ found: [Found], service index: Int) -> [Effect] {
        guard !isFinished, let service = openServices.removeValue(forKey: index) else { return [] }
        arrived[index] = found
        services[index] = service
        guard openServices.isEmpty else { return [] }
        let numbers = sortFound() + readInstead.map { .readInstead(token: $0) }
        var seen: Set<Feed> = []
        for feed in reads + subscriptions where !wantedAndFound.contains(feed) && seen.insert(feed).inserted {
            if takesAnyService, !wantedServices.values.contains(feed.service) { continue }
            if untold.contains(where: { wantedServices[$0] == feed.service }) { continue }
            problems.append("\(feed) is not there")
        }
        guard working > 0 || !toRead.isEmpty || !toSubscribe.isEmpty || !wantedAndFound.isEmpty else {
            let told = wantedServices.filter { !untold.contains($0.key) }
            guard !told.isEmpty else { return finish() }
            survey = .characteristics(told, [])
            return told.keys.sorted().map { .discoverAllCharacteristics(service: $0) }
        }
        (pendingReads, toRead) = (toRead, [:])
        guard !pendingReads.isEmpty else { return numbers + subscribe() }
        return numbers + pendingReads.keys.sorted().map { .read(token: $0) }
    }

    /// Decides about each characteristic, in the order of handles; returns the numbers of characteristics with equal
    /// UUID.
    private mutating func sortFound() -> [Effect] {
        var tokens: [Feed: [Int]] = [:]
        var effects: [Effect] = []
        let all = arrived.flatMap { index, found in
            found.map { Feed(service: services[index] ?? $0.uuid, characteristic: $0.uuid) }
        }
        let totals = Dictionary(grouping: all) { $0 }.mapValues(\.count)
        for (index, found) in arrived.sorted(by: { $0.key < $1.key }) {
            guard let service = services[index] else { continue }
            for characteristic in found {
                let plain = Feed(service: service, characteristic: characteristic.uuid)
                tokens[plain, default: []].append(characteristic.token)
                let instance = tokens[plain]?.count ?? 1
                if instance > 1 { effects.append(.place(token: characteristic.token, instance: instance)) }
                if !sort(characteristic, as: plain, instance, of: totals[plain] ?? 1),
                    (reads + subscriptions).contains(where: { $0.plain == plain })
                {
                    effects.append(.leaveOut(token: characteristic.token))
                }
            }
        }
        var counts: [BluetoothUUID: Int] = [:]
        var seen: Set<Feed> = []
        // In the order of the rule: a feed that is added at its end changes no number.
        for feed in (reads + subscriptions).map(\.plain) where seen.insert(feed).inserted {
            for token in tokens[feed] ?? [] {
                counts[feed.characteristic, default: 0] += 1
                guard let number = counts[feed.characteristic], number > 1 else { continue }
                effects.append(.number(token: token, instance: number))
            }
        }
        return effects
    }

    /// False if the rule is not about this characteristic.
    private mutating func sort(_ characteristic: Found, as plain: Feed, _ instance: Int, of total: Int) -> Bool {
        let exact = Feed(service: plain.service, characteristic: plain.characteristic, instance: instance)
        let name = total > 1 ? exact : plain
        var isWanted = false
        if let feed = reads.first(where: { $0 == plain || $0 == exact }) {
            isWanted = true
            wantedAndFound.formUnion([plain, exact])
            if characteristic.isNotifying {
                // A notification could pass for the answer, and the values come anyhow.
                working += 1
            } else if characteristic.canRead {
                toRead[characteristic.token] = feed
            } else {
                problems.append("\(name) cannot be read")
            }
        }
        if let feed = subscriptions.first(where: { $0 == plain || $0 == exact }) {
            isWanted = true
            wantedAndFound.formUnion([plain, exact])
            if characteristic.canSubscribe {
                toSubscribe[characteristic.token] = feed
            } else if characteristic.canRead {
                toRead[characteristic.token] = feed
                readInstead.append(characteristic.token)
                problems.append("\(name) neither notifies nor indicates. The gateway reads the value at intervals")
            } else {
                problems.append("\(name) neither notifies nor indicates")
            }
        }
        return isWanted
    }

    /// Reads come before subscriptions. So a read value is clearly no notification if a characteristic offers both.
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

    /// The sensor refuses the subscription with this answer. The sensor may still send the values; `isRead`: the
    /// collector reads the values as well.
    ///
    /// - Parameter isLasting: The sensor will always give this answer. A temporary refusal of an unreadable value is no
    ///   success: if no other value works, the link is set up again.
    mutating func refusedSubscription(token: Int, _ answer: String, isRead: Bool, isLasting: Bool) -> [Effect] {
        guard !isFinished, let feed = pendingSubscriptions.removeValue(forKey: token) else { return [] }
        problems.append(
            "\(feed) cannot be subscribed to: \(answer) "
                + (isRead
                    ? "The gateway listens all the same, and reads the value at intervals"
                    : isLasting ? "The gateway listens all the same" : "The gateway tries again with the next link"))
        if isRead || isLasting { working += 1 }
        return pendingSubscriptions.isEmpty ? finish() : []
    }

    /// Whether characteristics of the service are awaited only for the message.
    func surveysCharacteristics(ofService index: Int) -> Bool {
        guard !isFinished, case .characteristics(let open, _) = survey else { return false }
        return open[index] != nil
    }

    mutating func surveyed(_ characteristics: [BluetoothUUID], service index: Int) -> [Effect] {
        guard !isFinished, case .characteristics(var open, var found) = survey,
            let service = open.removeValue(forKey: index)
        else { return [] }
        found += characteristics.map { Feed(service: service, characteristic: $0) }
        survey = .characteristics(open, found)
        return open.isEmpty ? finish() : []
    }

    /// A whole step has failed.
    mutating func failed(_ reason: String) -> [Effect] {
        guard !isFinished else { return [] }
        switch survey {
        // The missing services are known in any case.
        case .services: return fail(lack(insteadOf: nil))
        case .characteristics: return finish()
        case nil: return fail(reason)
        }
    }

    /// The missing services, and the present services, if known.
    private func lack(insteadOf services: [BluetoothUUID]?) -> String {
        var seen: Set<BluetoothUUID> = []
        let wanted = (reads + subscriptions).map(\.service).filter { seen.insert($0).inserted }
        let text = "the sensor has no \(Self.list(wanted.map(AssignedName.service), or: "or"))"
        guard let services else { return text }
        // GAP and GATT, which every device has, and services whose UUIDs could not be read.
        let generic = [0, 0x1800, 0x1801].map { BluetoothUUID($0 as UInt16) }
        let others = services.filter { !generic.contains($0) && seen.insert($0).inserted }
        return text
            + (others.isEmpty ? "; it has no services" : "; it has \(Self.list(others.map(AssignedName.service)))")
    }

    /// `a, b and 3 more`.
    private static func list(_ names: [String], or word: String = "and") -> String {
        let shown =
            names.count > maximumNames
            ? names.prefix(maximumNames) + ["\(names.count - maximumNames) more"] : names[...]
        guard let last = shown.last, shown.count > 1 else { return shown.joined() }
        return shown.dropLast().joined(separator: ", ") + " \(word) " + last
    }

    private mutating func subscribe() -> [Effect] {
        (pendingSubscriptions, toSubscribe) = (toSubscribe, [:])
        guard !pendingSubscriptions.isEmpty else { return finish() }
        return pendingSubscriptions.keys.sorted().map { .subscribe(token: $0) }
    }

    private mutating func finish() -> [Effect] {
        guard working > 0 else {
            if case .characteristics(_, let found) = survey, !found.isEmpty {
                problems.append("it has \(Self.list(found.map(\.description)))")
            }
            return fail(problems.joined(separator: "; "))
        }
        isFinished = true
        return [.succeeded(missing: problems)]
    }

    private mutating func fail(_ reason: String) -> [Effect] {
        isFinished = true
        return [.failed(reason)]
    }
}

extension SensorRule.Feed: CustomStringConvertible {
    /// `180D/2A37`, or `180D/2A37#2`.
    package var description: String { "\(service)/\(characteristic)" + (instance == 0 ? "" : "#\(instance)") }
}
