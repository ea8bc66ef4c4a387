// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore
import GATT

/// The bench for our GATT server: a client that speaks raw ATT, the server of one link, and the owner of the published
/// services. Virtual time; everything that fails throws.
final class ServerBench {
    static let owner = ServerOwner(1)

    private(set) var now = MonotonicTime.zero
    private(set) var database: GATTDatabase
    /// How well the link is protected.
    var security = LinkSecurity.none
    /// What the owner has, by handle.
    var values: [UInt16: [UInt8]] = [:]
    /// What the owner was given, in order: requests and commands alike.
    private(set) var writes: [[WriteItem]] = []
    private(set) var isClosed = false
    private(set) var mtu = 23

    /// The owner takes its time to answer reads.
    var holdsAnswers = false {
        didSet {
            guard !holdsAnswers else { return }
            let late = held
            held = []
            for read in late { answer(read) }
        }
    }
    private var held: [ServerRead] = []

    private var machine = GATTServerMachine(ownMTU: 517)
    private var sent: [[UInt8]] = []
    /// What is kept of the client, as if it were bonded.
    private var state: ClientState?
    private var isBonded = false

    init(_ host: HostServices = HostServices(deviceName: Array("Martlet".utf8))) throws {
        database = GATTDatabase(host)
        // The client comes afterwards: for it the table has not changed.
        isLinked = false
        try publish(ServerTable.services)
        isLinked = true
        values = ServerTable.values
    }

    // MARK: Lower tester

    func send(att octets: String) { send(att: hex(octets)) }

    func send(att octets: [UInt8]) { perform(machine.received(octets[...], in: context)) }

    @discardableResult
    func expects(att pattern: OctetPattern) throws -> [UInt8] {
        guard !sent.isEmpty else { throw ScriptFailure("expected \(pattern); nothing came") }
        let seen = sent.removeFirst()
        try require(pattern.matches(seen), "expected \(pattern); seen \(text(seen))")
        return seen
    }

    @discardableResult
    func expects(att octets: [UInt8]) throws -> [UInt8] { try expects(att: OctetPattern(text(octets))) }

    /// The tester asks and the server answers.
    func asks(_ request: String, answer: OctetPattern) throws {
        send(att: request)
        try expects(att: answer)
    }

    func expectsNothing(for time: Duration = .zero) throws {
        advance(time)
        try require(sent.isEmpty, "expected nothing; seen \(sent.map(text))")
    }

    func advance(_ time: Duration) {
        let end = now + time
        while let deadline = machine.deadline, deadline <= end {
            now = max(now, deadline)
            perform(machine.expire(in: context))
        }
        now = end
    }

    // MARK: Links

    /// The link ends and the client comes back; a bonded one is recognised.
    func reconnect() throws {
        try require(sent.isEmpty, "left over: \(sent.map(text))")
        machine = GATTServerMachine(ownMTU: 517)
        (isClosed, mtu) = (false, 23)
        guard isBonded, let state else { return }
        perform(machine.restore(state, in: context))
    }

    /// The client pairs: from now on it is known.
    func bond() {
        isBonded = true
        security = LinkSecurity(isEncrypted: true, keySize: 16, hasBond: true)
        state = machine.clientState(in: context)
    }

    // MARK: Upper tester

    func notify(_ value: String, of handle: UInt16) -> UpdateOutcome {
        let (outcome, effects) = machine.notify(hex(value), of: handle, in: context)
        perform(effects)
        return outcome
    }

    func notify(multiple updates: [(handle: UInt16, value: [UInt8])]) -> [UpdateOutcome] {
        let (outcomes, effects) = machine.notify(multiple: updates, in: context)
        perform(effects)
        return outcomes
    }

    func publish(_ services: [LocalService]) throws {
        for service in services {
            let published = try database.add(service, owner: Self.owner)
            tell(published.addition)
        }
    }

    func withdraw(serviceAt handle: UInt16) throws {
        tell(try database.remove(serviceAt: handle, owner: Self.owner))
    }

    private func tell(_ change: DatabaseChange) {
        database.setDatabaseHash(ServerTable.hash(of: database.hashInput))
        if isLinked { perform(machine.databaseChanged(change, in: context)) }
    }

    /// Whether the client has a link; changes while it is away are not told to its machine.
    var isLinked = true

    // MARK: Inside

    private var context: ServerContext { ServerContext(database: database, security: security, now: now) }

    private func perform(_ effects: [GATTServerMachine.Effect]) {
        for effect in effects {
            switch effect {
            case .send(let octets): sent.append(octets)
            case .mtuExchanged(let exchanged): mtu = exchanged
            case .read(let read): if holdsAnswers { held.append(read) } else { answer(read) }
            case .write(let write):
                take(write.items)
                if let id = write.id { perform(machine.answerWrite(id, in: context).effects) }
            case .stateChanged(let new): state = new
            case .closeBearer: isClosed = true
            default: break
            }
        }
    }

    private func answer(_ read: ServerRead) {
        let value = values[read.handle] ?? []
        let answer: Result<[UInt8], ATTErrorCode> =
            read.offset <= value.count ? .success(Array(value[read.offset...])) : .failure(.invalidOffset)
        perform(machine.answerRead(read.id, answer, in: context).effects)
    }

    private func take(_ items: [WriteItem]) {
        writes.append(items)
        for item in items {
            let old = item.offset == 0 ? [] : values[item.handle] ?? []
            values[item.handle] = Array(old.prefix(item.offset)) + item.value
        }
    }
}

extension ServerBench {
    /// The tester reads what fits one response.
    func expects(read handle: UInt16, _ value: [UInt8]) throws {
        send(att: [0x0A] + little(handle))
        try expects(att: [0x0B] + value)
    }

    func expects(write handle: UInt16, _ value: [UInt8]) throws {
        send(att: [0x12] + little(handle) + value)
        try expects(att: "13")
    }

    /// Part of a value is prepared and echoed.
    func expects(prepare handle: UInt16, at offset: UInt16, _ value: [UInt8]) throws {
        let octets = little(handle) + little(offset) + value
        send(att: [0x16] + octets)
        try expects(att: [0x17] + octets)
    }

    func expects(_ seen: UpdateOutcome, _ expected: UpdateOutcome) throws {
        try require(seen == expected, "expected the outcome \(expected); seen \(seen)")
    }

    /// The handle of an attribute that refuses reads, or writes, with this error on the link as it is then.
    func provoke(_ error: ATTErrorCode) -> UInt16 {
        switch error {
        case .invalidHandle: return ServerTable.nowhere
        case .readNotPermitted: return ServerTable.writeOnly
        case .writeNotPermitted: return ServerTable.fixed
        case .insufficientAuthorization: return ServerTable.authorized
        case .encryptionKeySizeTooShort:
            security = LinkSecurity(isEncrypted: true, keySize: 15, hasBond: true)
            return ServerTable.encrypted
        default: return ServerTable.encrypted
        }
    }

    /// Makes the link what the attribute needs that refused with this error; false where no link would do.
    func satisfy(_ error: ATTErrorCode) -> Bool {
        switch error {
        case .insufficientAuthorization: security.isAuthorized = true
        case .insufficientAuthentication, .encryptionKeySizeTooShort:
            security = LinkSecurity(isEncrypted: true, keySize: 16, hasBond: true)
        default: return false
        }
        return true
    }

    func finish() throws { try expectsNothing(for: .seconds(1)) }
}

/// The same for scripts of the server.
func conformance(_ id: String, file: String = #fileID, _ script: (ServerBench) throws -> Void) throws {
    try ConformanceRecord.run(id, file: file) {
        let bench = try ServerBench()
        try script(bench)
        try bench.finish()
    }
}
