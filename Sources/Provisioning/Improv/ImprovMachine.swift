// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// The Improv service without its radio. Inputs: pieces of commands, the window and time. Outputs: messages and
/// actions.
///
/// A person at the gateway authorizes clients, by the button or by `martlet provision open`. An unprovisioned gateway
/// alone is no consent. The authorization ends after a minute without a write. Joining uses it up; a failed attempt
/// renews it. A refused command gets an error. Every other command, except `identify`, gets a result or an error within
/// ``joinLimit``.
package struct ImprovMachine: Sendable {
    /// A link.
    package typealias Client = UInt64

    package enum Effect: Equatable, Sendable {
        /// The new value of `Current State`, for all clients and for the advertisement.
        case state(Improv.State)
        /// The new value of `Error`.
        case error(Improv.ErrorCode, to: Client)
        /// The new value of `Result`.
        case result([UInt8], to: Client)
        /// Perform the request, and call ``finished(_:_:at:)`` with this number.
        case perform(ImprovRequest, number: UInt64)
        case identify
        /// The action of this number takes too long. The client was told of a failure.
        case abandon(number: UInt64)
    }

    package enum Outcome: Equatable, Sendable {
        /// The strings of the result.
        case done([String])
        case failed(Improv.ErrorCode)
    }

    package static let authorizationLimit = Duration.seconds(60)
    /// The longest pause between two pieces of a command.
    package static let idleLimit = Duration.seconds(5)
    /// Clients give up 90 s after their command.
    package static let joinLimit = Duration.seconds(80)
    package static let taskLimit = Duration.seconds(30)
    /// How long the end of a provisioning is advertised, for clients that only listen.
    package static let farewell = Duration.seconds(30)
    /// Links with an incomplete command at the same time.
    package static let clientLimit = 8

    private struct Assembly {
        var octets: [UInt8] = []
        var end: MonotonicTime
    }

    private struct Pending {
        var number: UInt64
        var client: Client
        var command: Improv.Command
        var end: MonotonicTime
    }

    package let capabilities: Improv.Capabilities
    package private(set) var state = Improv.State.authorizationRequired
    /// The last error sent.
    package private(set) var error = Improv.ErrorCode.none
    /// The last result sent.
    package private(set) var result: [UInt8] = []
    private var window = WindowState()
    private var authorizationEnd: MonotonicTime?
    private var farewellEnd: MonotonicTime?
    private var assemblies: [Client: Assembly] = [:]
    private var pending: Pending?
    private var number: UInt64 = 0

    package init(capabilities: Improv.Capabilities) { self.capabilities = capabilities }

    /// The state in the service data; nil without an advertisement.
    package var advertisedState: Improv.State? {
        window.isOpen && (state != .provisioned || farewellEnd != nil) ? state : nil
    }

    /// The time of the next call of ``expire(at:)``.
    package var deadline: MonotonicTime? {
        ([authorizationEnd, farewellEnd, pending?.end] + assemblies.values.map(\.end)).compactMap { $0 }.min()
    }

    /// Octets of incomplete commands.
    package var assembled: Int { assemblies.values.reduce(0) { $0 + $1.octets.count } }

    // MARK: The window

    package mutating func windowChanged(_ new: WindowState, at now: MonotonicTime) -> [Effect] {
        let old = window
        window = new
        guard new.isOpen else {
            (authorizationEnd, farewellEnd, assemblies) = (nil, nil, [:])
            // A join in progress continues, because the client still expects an answer.
            return state == .provisioning ? [] : become(.authorizationRequired)
        }
        let isConsent = new.opener == .button || new.opener == .command
        guard isConsent, (new.opener, new.end) != (old.opener, old.end) else {
            if !isConsent, state == .authorized { return lapse() }
            return []
        }
        authorizationEnd = now + Self.authorizationLimit
        return state == .provisioning ? [] : become(.authorized)
    }

    // MARK: Commands

    /// A link has ended. Its action goes on.
    package mutating func disconnected(_ client: Client) { assemblies[client] = nil }

    /// A client wrote a piece of a command.
    package mutating func received(_ octets: [UInt8], from client: Client, at now: MonotonicTime) -> [Effect] {
        var effects = expire(at: now)
        guard window.isOpen else { return effects + tell(.notAuthorized, to: client) }
        if state == .authorized { authorizationEnd = now + Self.authorizationLimit }
        guard assemblies[client] != nil || assemblies.count < Self.clientLimit else {
            return effects + tell(.invalidPacket, to: client)
        }
        var assembly = assemblies.removeValue(forKey: client) ?? Assembly(end: now)
        guard assembly.octets.count + octets.count <= Improv.capacity + 3 else {
            return effects + tell(.invalidPacket, to: client)
        }
        assembly.octets += octets
        let whole = assembly.octets.count > 1 ? Int(assembly.octets[1]) + 3 : 3
        if assembly.octets.count < whole {
            assembly.end = now + Self.idleLimit
            assemblies[client] = assembly
            return effects
        }
        effects +=
            assembly.octets.count == whole
            ? obey(assembly.octets[...], of: client, at: now) : tell(.invalidPacket, to: client)
        return effects
    }

    private mutating func obey(
        _ packet: ArraySlice<UInt8>, of client: Client, at now: MonotonicTime
    ) -> [Effect] {
        guard Improv.checksum(packet.dropLast()) == packet.last else { return tell(.invalidPacket, to: client) }
        let request: ImprovRequest
        do { request = try ImprovRequest(decoding: packet) } catch { return tell(error.code, to: client) }
        guard supports(request.command) else { return tell(.unknownCommand, to: client) }
        guard !request.needsAuthorization || state == .authorized else {
            return tell(.notAuthorized, to: client)
        }
        if request == .identify { return clear(for: client) + [.identify] }
        // One action at a time: the action in progress still needs its answer.
        guard pending == nil else { return tell(.unknown, to: client) }
        number += 1
        var isJoining = false
        if case .join = request { isJoining = true }
        pending = Pending(
            number: number, client: client, command: request.command,
            end: now + (isJoining ? Self.joinLimit : Self.taskLimit))
        var effects = clear(for: client)
        if isJoining {
            authorizationEnd = nil
            effects += become(.provisioning)
        }
        return effects + [.perform(request, number: number)]
    }

    private func supports(_ command: Improv.Command) -> Bool {
        switch command {
        case .wirelessSettings, .deviceName: true
        case .identify: capabilities.contains(.identify)
        case .deviceInformation: capabilities.contains(.deviceInformation)
        case .scan: capabilities.contains(.scan)
        case .hostname: capabilities.contains(.hostname)
        }
    }

    // MARK: Ends

    /// The action of this number has ended. An abandoned action is ignored.
    package mutating func finished(_ number: UInt64, _ outcome: Outcome, at now: MonotonicTime) -> [Effect] {
        guard let done = pending, done.number == number else { return [] }
        pending = nil
        switch outcome {
        case .done(let strings):
            let packet = Improv.result(done.command, strings)
            result = packet
            guard done.command == .wirelessSettings else { return [.result(packet, to: done.client)] }
            farewellEnd = window.isOpen ? now + Self.farewell : nil
            authorizationEnd = nil
            return become(.provisioned) + [.result(packet, to: done.client)]
        case .failed(let code):
            let effects = tell(code, to: done.client)
            guard done.command == .wirelessSettings else { return effects }
            guard window.isOpen else { return effects + become(.authorizationRequired) }
            authorizationEnd = now + Self.authorizationLimit
            return effects + become(.authorized)
        }
    }

    /// Ends everything whose time is over.
    package mutating func expire(at now: MonotonicTime) -> [Effect] {
        var effects: [Effect] = []
        if let late = pending, late.end <= now {
            let code: Improv.ErrorCode = late.command == .wirelessSettings ? .unableToConnect : .unknown
            effects += [.abandon(number: late.number)] + finished(late.number, .failed(code), at: now)
        }
        if let end = authorizationEnd, end <= now { effects += lapse() }
        if let end = farewellEnd, end <= now { farewellEnd = nil }
        for client in assemblies.filter({ $0.value.end <= now }).keys.sorted() {
            assemblies[client] = nil
            effects += tell(.invalidPacket, to: client)
        }
        return effects
    }

    private mutating func lapse() -> [Effect] {
        authorizationEnd = nil
        return state == .authorized ? become(.authorizationRequired) : []
    }

    private mutating func become(_ new: Improv.State) -> [Effect] {
        guard state != new else { return [] }
        state = new
        if new != .provisioned { farewellEnd = nil }
        return [.state(new)]
    }

    private mutating func tell(_ code: Improv.ErrorCode, to client: Client) -> [Effect] {
        error = code
        return [.error(code, to: client)]
    }

    /// An accepted command clears the error of the command before.
    private mutating func clear(for client: Client) -> [Effect] {
        guard error != .none else { return [] }
        return tell(.none, to: client)
    }
}
