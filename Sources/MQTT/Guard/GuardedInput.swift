// SPDX-License-Identifier: Apache-2.0

import CMosquitto
import Glibc

/// Hands the broker's octets to libmosquitto after the guard has checked them.
///
/// A look at the socket beforehand (MSG_PEEK) would not be enough: the library reads all octets there are, and more may
/// have come by then. So the library never reads from the broker's socket. Without TLS, the library reads from a pipe
/// with the checked octets, which takes the place of the socket during the read. With TLS, the library reads from
/// memory. The memory gets one record at a time, the guard looks at the plain text (SSL_peek), and only then the next
/// record follows.
final class GuardedInput {
    private let client: OpaquePointer
    private let descriptor: Int32
    private let tls: TLSContext?
    private let standIn: StandIn?
    private var packets: PacketGuard
    private var records = TLSRecords()
    /// Octets from the socket; with TLS, encrypted.
    private var received = [UInt8](repeating: 0, count: 16_384)
    /// The text of a record, at most 2¹⁴ octets. RFC 8446, 5.1.
    private var plain: [UInt8]

    /// - Parameters:
    ///   - client: A connected client that has not read anything yet.
    ///   - packets: The guard for the broker's packets.
    init(_ client: OpaquePointer, tls: TLSContext?, packets: PacketGuard) throws(MQTTFailure) {
        self.client = client
        self.tls = tls
        descriptor = mosquitto_socket(client)
        standIn = tls == nil ? try StandIn(for: descriptor) : nil
        self.packets = packets
        plain = tls == nil ? [] : [UInt8](repeating: 0, count: 16_384)
    }

    /// A message was sent, and the broker will acknowledge it.
    func expectAcknowledgement(of messageID: Int32) {
        packets.expectAcknowledgement(of: UInt16(truncatingIfNeeded: messageID))
    }

    /// SUBSCRIBE was sent.
    func expectSubscription(_ messageID: Int32, filters: Int) {
        packets.expectSubscription(UInt16(truncatingIfNeeded: messageID), filters: filters)
    }

    /// UNSUBSCRIBE was sent.
    func expectEnd(_ messageID: Int32, filters: Int) {
        packets.expectEnd(UInt16(truncatingIfNeeded: messageID), filters: filters)
    }

    /// Octets of an unfinished answer to CONNECT; nil without an unfinished answer.
    var unfinishedAnswer: Int? { packets.unfinishedAnswer }

    /// Since 2.0.12 the library wants to write while it has octets to send, even in a handshake, where it may be the
    /// broker's turn. The socket would be found ready again and again.
    var wantsWrite: Bool {
        guard tls != nil, let state = mosquitto_ssl_get(client), SSL_is_init_finished(OpaquePointer(state)) == 0 else {
            return mosquitto_want_write(client)
        }
        return SSL_want(OpaquePointer(state)) == SSL_WRITING
    }

    /// Reads once from the socket, and lets the library read all these octets.
    ///
    /// - Returns: The library's code for the result, with errno if the code refers to errno.
    func read() throws(MQTTFailure) -> Int32 {
        // A failed write just before has closed the socket: its number may already belong to another file.
        guard isOpen else { return Int32(MOSQ_ERR_NO_CONN.rawValue) }
        let count = recv(descriptor, &received, received.count, Int32(MSG_DONTWAIT))
        guard count != 0 else { return Int32(MOSQ_ERR_CONN_LOST.rawValue) }
        guard count > 0 else {
            switch errno {
            case EAGAIN, EINTR: return Int32(MOSQ_ERR_SUCCESS.rawValue)
            case ECONNRESET: return Int32(MOSQ_ERR_CONN_LOST.rawValue)
            default: return Int32(MOSQ_ERR_ERRNO.rawValue)
            }
        }
        if !mosquitto_want_write(client) { packets.allIsSent() }
        let octets = received[..<count]
        if let tls { return try read(octets, tls) }
        try check(octets)
        var rest = octets
        while !rest.isEmpty {
            guard let standIn, let size = standIn.put(rest) else { return Int32(MOSQ_ERR_ERRNO.rawValue) }
            rest = rest.dropFirst(size)
            let code = letRead(through: standIn)
            guard code == MOSQ_ERR_SUCCESS.rawValue, isOpen else { return code }
        }
        return Int32(MOSQ_ERR_SUCCESS.rawValue)
    }

    private func letRead(through standIn: StandIn) -> Int32 {
        standIn.takePlace()
        // The stand-in accepts no writes, and a message without an immediate acknowledgement would end the connection.
        // A library in threaded mode writes its acknowledgements later.
        mosquitto_threaded_set(client, true)
        let code = letRead { standIn.holdsOctets }
        let reason = errno
        mosquitto_threaded_set(client, false)
        // If the connection has ended, its number may already belong to another file.
        if isOpen { standIn.giveWay() }
        errno = reason
        return code
    }

    private func read(_ octets: ArraySlice<UInt8>, _ tls: TLSContext) throws(MQTTFailure) -> Int32 {
        var rest = octets
        while !rest.isEmpty {
            let record = rest.prefix(records.next(rest))
            rest = rest.dropFirst(record.count)
            guard tls.put(record) else { return Int32(MOSQ_ERR_NOMEM.rawValue) }
            let code = try readRecord(tls)
            guard code == MOSQ_ERR_SUCCESS.rawValue, isOpen else { return code }
        }
        return Int32(MOSQ_ERR_SUCCESS.rawValue)
    }

    private func readRecord(_ tls: TLSContext) throws(MQTTFailure) -> Int32 {
        guard let state = mosquitto_ssl_get(client) else { return Int32(MOSQ_ERR_NO_CONN.rawValue) }
        let ssl = OpaquePointer(state)
        guard tls.isEstablished else {
            // A handshake that only has to write reads nothing of the record: the library would then get the record
            // unseen.
            guard SSL_want(ssl) != SSL_WRITING else { throw Self.stuck }
            return letRead { SSL_pending(ssl) > 0 }
        }
        var count: Int32 = 0
        switch martlet_tls_peek(ssl, &plain, Int32(plain.count), &count) {
        case MARTLET_TLS_TEXT:
            guard count > 0 else { return Int32(MOSQ_ERR_SUCCESS.rawValue) }
            try check(plain[..<Int(count)])
            return letRead { SSL_pending(ssl) > 0 }
        case MARTLET_TLS_GOODBYE: return Int32(MOSQ_ERR_CONN_LOST.rawValue)
        case MARTLET_TLS_STUCK: throw Self.stuck
        default: throw .library(code: Int32(MOSQ_ERR_TLS.rawValue), detail: String(cString: martlet_tls_reason()))
        }
    }

    /// A wait would need a store of records until the handshake continues; a new connection costs less.
    private static let stuck = MQTTFailure.library(
        code: Int32(MOSQ_ERR_TLS.rawValue), detail: "the broker sends on, and does not take its handshake's answer")

    /// The library may stop before it has read all octets.
    private func letRead(while hasMore: () -> Bool) -> Int32 {
        while true {
            let code = mosquitto_loop_read(client, 1)
            guard code == MOSQ_ERR_SUCCESS.rawValue, isOpen, hasMore() else { return code }
        }
    }

    /// Whether the library still has the connection.
    private var isOpen: Bool { mosquitto_socket(client) == descriptor }

    private func check(_ octets: ArraySlice<UInt8>) throws(MQTTFailure) {
        do throws(PacketFault) {
            try packets.check(octets)
        } catch {
            if case .otherProtocol = error.problem { throw .speaksHTTP }
            throw .broken(error)
        }
    }
}

/// A pipe in place of the broker's socket, under the number that the library knows. The library reads octet by octet,
/// which costs less on a pipe than on a socket. A write during the read fails and is not lost, unless the library puts
/// the write off.
private final class StandIn {
    private let number: Int32
    /// Another number for the broker's socket, which keeps the socket open meanwhile.
    private let broker: Int32
    private let near: Int32
    private let far: Int32

    init(for number: Int32) throws(MQTTFailure) {
        self.number = number
        var ends: [Int32] = [-1, -1]
        broker = fcntl(number, F_DUPFD_CLOEXEC, 0)
        let isMade =
            broker >= 0 && pipe(&ends) == 0
            && ends.allSatisfy { fcntl($0, F_SETFD, FD_CLOEXEC) == 0 && fcntl($0, F_SETFL, O_NONBLOCK) == 0 }
        let failure = MQTTFailure(code: Int32(MOSQ_ERR_ERRNO.rawValue))
        (near, far) = (ends[0], ends[1])
        guard isMade else { throw failure }
    }

    deinit {
        for descriptor in [broker, near, far] where descriptor >= 0 { close(descriptor) }
    }

    /// - Returns: How many of the octets the pipe took, one at least; nil, with errno, when the pipe took none.
    func put(_ octets: ArraySlice<UInt8>) -> Int? {
        let count = octets.withUnsafeBytes { write(far, $0.baseAddress, $0.count) }
        return count > 0 ? count : nil
    }

    var holdsOctets: Bool {
        var count: Int32 = 0
        return ioctl(near, UInt(FIONREAD), &count) == 0 && count > 0
    }

    func takePlace() { dup2(near, number) }
    func giveWay() { dup2(broker, number) }
}
