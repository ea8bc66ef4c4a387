// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Glibc

/// Makes the TCP connection to a broker. RFC 8305 ("happy eyeballs"): the dialer tries the host's addresses in turn,
/// one every 250 ms, with alternating families. The first connection to stand wins. An address that swallows packets
/// costs a quarter of a second, where connect(2) would wait for two minutes.
package struct BrokerDialer: Sendable {
    /// An established connection. The receiver closes the descriptor.
    package struct Connection: Sendable {
        /// The descriptor is non-blocking.
        package var descriptor: Int32
        /// The address in digits, without the port.
        package var host: String
        /// The name has an address that was not tried this time, and did not fail before.
        package var hasOthers = false
    }

    /// RFC 8305, 8: Connection Attempt Delay.
    static let attemptDelay: Duration = .milliseconds(250)
    /// How long the other addresses have before the dialer tries an address that failed before: a good address may be
    /// far away.
    static let failedDelay: Duration = .seconds(3)

    /// Limit of the look-up of the name.
    package var lookupTime: Duration
    /// Limit of all attempts together.
    package var connectTime: Duration
    /// Addresses, in digits, that took a connection before and led to no MQTT connection. The dialer tries them last,
    /// the longest ago first.
    package var failed: [String]
    /// A host's addresses in digits, if they are known without a name server.
    package var known: @Sendable (_ host: String) -> [String]?

    package init(
        lookupTime: Duration = .seconds(10), connectTime: Duration = .seconds(10), failed: [String] = [],
        known: @escaping @Sendable (_ host: String) -> [String]? = { _ in nil }
    ) {
        self.lookupTime = lookupTime
        self.connectTime = connectTime
        self.failed = failed
        self.known = known
    }

    /// Blocks for ``lookupTime`` and ``connectTime`` at most.
    ///
    /// - Parameters:
    ///   - connecting: Called after the look-up of the name.
    ///   - isCancelled: Asked ten times a second; true ends the attempt.
    package func dial(
        _ address: BrokerAddress, connecting: () -> Void = {}, isCancelled: () -> Bool = { false }
    ) -> Result<Connection, MQTTFailure> {
        switch addresses(of: address, isCancelled) {
        case .failure(let failure): return .failure(failure)
        case .success(let found):
            connecting()
            return connect(to: Self.order(found, failed: failed), isCancelled)
        }
    }

    private func addresses(
        of address: BrokerAddress, _ isCancelled: () -> Bool
    ) -> Result<[SocketAddress], MQTTFailure> {
        guard let digits = known(address.host) else {
            return NameLookup.addresses(of: address, within: lookupTime, isCancelled: isCancelled)
        }
        return .success(digits.flatMap { NameLookup.addresses(ofDigits: $0, address.port) })
    }

    /// RFC 8305, 4: the families alternate, and the family of the first address begins. Addresses that failed before
    /// come last.
    static func order(_ addresses: [SocketAddress], failed: [String]) -> [SocketAddress] {
        let ranked = addresses.map { address in
            (address: address, rank: address.host.flatMap { failed.firstIndex(of: $0) } ?? -1)
        }
        let others = ranked.filter { $0.rank >= 0 }.sorted { $0.rank < $1.rank }
        return alternate(ranked.filter { $0.rank < 0 }.map(\.address)) + others.map(\.address)
    }

    private static func alternate(_ addresses: [SocketAddress]) -> [SocketAddress] {
        guard let family = addresses.first?.family else { return [] }
        var (first, second) = (
            addresses.filter { $0.family == family }[...], addresses.filter { $0.family != family }[...]
        )
        var order: [SocketAddress] = []
        while !first.isEmpty || !second.isEmpty {
            if let next = first.popFirst() { order.append(next) }
            if let next = second.popFirst() { order.append(next) }
        }
        return order
    }

    private func connect(to addresses: [SocketAddress], _ isCancelled: () -> Bool) -> Result<Connection, MQTTFailure> {
        var race = Race()
        defer { race.close() }
        let begin = ContinuousClock.now
        let end = begin + connectTime
        var waiting = addresses[...]
        var nextAt = begin
        while true {
            let now = ContinuousClock.now
            guard now < end, !isCancelled() else { return .failure(race.failure ?? .system(ETIMEDOUT)) }
            if now >= nextAt || race.isEmpty {
                if let next = waiting.popFirst() {
                    race.begin(next)
                    nextAt = now + Self.attemptDelay
                    if let later = waiting.first, hasFailed(later) { nextAt = max(nextAt, begin + Self.failedDelay) }
                } else if race.isEmpty {
                    return .failure(race.failure ?? .system(ETIMEDOUT))
                }
            }
            let limit = waiting.isEmpty ? end : min(end, nextAt)
            if var winner = race.wait(for: min(limit - now, .milliseconds(100))) {
                winner.hasOthers = waiting.contains { !hasFailed($0) }
                return .success(winner)
            }
        }
    }

    private func hasFailed(_ address: SocketAddress) -> Bool { address.host.map(failed.contains) ?? false }
}

/// Attempts that run at once.
private struct Race {
    private var attempts: [(descriptor: Int32, address: SocketAddress)] = []
    /// Why an attempt failed: the first failure that says more than "no route to this address family".
    private(set) var failure: MQTTFailure?

    var isEmpty: Bool { attempts.isEmpty }

    mutating func begin(_ address: SocketAddress) {
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(address.family, type, 0)
        guard descriptor >= 0 else { return record(errno) }
        guard address.withPointer({ Glibc.connect(descriptor, $0, address.length) }) != 0, errno != EINPROGRESS else {
            attempts.append((descriptor, address))
            return
        }
        record(errno)
        Glibc.close(descriptor)
    }

    /// The first connection to stand; nil when no connection stands within the time.
    mutating func wait(for time: Duration) -> BrokerDialer.Connection? {
        var descriptors = attempts.map { pollfd(fd: $0.descriptor, events: Int16(POLLOUT), revents: 0) }
        let milliseconds = Int32(clamping: max(time, .zero).wholeMilliseconds)
        guard poll(&descriptors, nfds_t(descriptors.count), max(milliseconds, 1)) > 0 else { return nil }
        for entry in descriptors where entry.revents != 0 {
            guard let index = attempts.firstIndex(where: { $0.descriptor == entry.fd }) else { continue }
            let (descriptor, address) = attempts.remove(at: index)
            var code: Int32 = 0
            var length = socklen_t(MemoryLayout<Int32>.size)
            if getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length) != 0 { code = errno }
            if code == 0 { return BrokerDialer.Connection(descriptor: descriptor, host: address.host ?? "") }
            record(code)
            Glibc.close(descriptor)
        }
        return nil
    }

    func close() { for attempt in attempts { Glibc.close(attempt.descriptor) } }

    private mutating func record(_ code: Int32) {
        let isOfFamily = [ENETUNREACH, EHOSTUNREACH, EADDRNOTAVAIL, EAFNOSUPPORT].contains(code)
        if failure == nil || !isOfFamily, failure != .system(ECONNREFUSED) { failure = .system(code) }
    }
}
