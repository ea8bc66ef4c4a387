// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Synchronization

/// A broker that follows a script, with the parts of MQTT 3.1.1 and 5 that a publisher needs.
final class ScriptedBroker: Listener, Sendable {
    /// An event on a connection; connections count from 0.
    enum Event {
        case connect(Int, MQTTPacket.Connect)
        case publish(Int, MQTTPacket.Publish)
        /// Nothing has come for 20 ms, and messages are not acknowledged yet: their packet identifiers.
        case idle(Int, [UInt16])
    }

    enum Action {
        case connack(UInt8 = 0, properties: [UInt8] = [])
        /// Octets as they are.
        case octets([UInt8])
        case puback(UInt16, UInt8 = 0)
        /// The message was acknowledged by octets.
        case settled(UInt16)
        /// MQTT 5 only.
        case disconnect(UInt8)
        case close
        /// Closes without a DISCONNECT: the other side may lose its last packets.
        case reset
        case sleep(milliseconds: UInt32)
    }

    typealias Script = @Sendable (Event) -> [Action]
    /// The answer to a SUBSCRIBE or UNSUBSCRIBE.
    typealias Answer = @Sendable (MQTTPacket.Request) -> [Action]

    struct Log {
        var connects: [MQTTPacket.Connect] = []
        var published: [MQTTPacket.Publish] = []
        /// Packet identifiers of the messages that the client has acknowledged.
        var acknowledged: [UInt16] = []
        /// SUBSCRIBE and UNSUBSCRIBE.
        var requests: [MQTTPacket.Request] = []
        var disconnects = 0
        /// The largest number of unacknowledged messages at a time.
        var mostOpen = 0
    }

    let port: UInt16
    private let listener: Int32
    private let script: Script
    private let answer: Answer?
    private let log = Mutex(Log())

    var connects: [MQTTPacket.Connect] { log.withLock { $0.connects } }
    /// All received messages in order, repeats included.
    var published: [MQTTPacket.Publish] { log.withLock { $0.published } }
    /// DISCONNECT packets from clients.
    var disconnects: Int { log.withLock { $0.disconnects } }
    var acknowledged: [UInt16] { log.withLock { $0.acknowledged } }
    var requests: [MQTTPacket.Request] { log.withLock { $0.requests } }
    var mostOpen: Int { log.withLock { $0.mostOpen } }

    /// Readings on `…/state` and `…/history` in the order of their arrival.
    var readings: [[String: Any]] {
        published.filter { $0.topic.hasSuffix("/state") || $0.topic.hasSuffix("/history") }.flatMap(\.readings)
    }

    convenience init(port: UInt16? = nil, _ script: @escaping Script) throws {
        try self.init(port: port, answer: nil, script: script)
    }

    /// - Parameter answer: With nil, the broker hangs up on each subscriber.
    init(port: UInt16? = nil, answer: Answer?, script: @escaping Script = { ScriptedBroker.obliging($0) }) throws {
        self.script = script
        self.answer = answer
        self.port = try port ?? TestPorts.next()
        listener = try TestPorts.listener(self.port)
        Thread.detachNewThread { [listener, weak self] in
            var count = 0
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { return }
                let number = count
                count += 1
                Thread.detachNewThread { [weak self] in
                    self?.serve(connection, number)
                    close(connection)
                }
            }
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    /// The answers of a broker that accepts everything.
    static func obliging(_ event: Event, properties: [UInt8] = []) -> [Action] {
        switch event {
        case .connect(_, let connect): [.connack(properties: connect.level == 5 ? properties : [])]
        case .publish(_, let message): message.qos == 0 ? [] : [.puback(message.packetID)]
        case .idle: []
        }
    }

    private func serve(_ connection: Int32, _ number: Int) {
        var level: UInt8 = 5
        var open: [UInt16] = []
        while true {
            var descriptor = pollfd(fd: connection, events: Int16(POLLIN), revents: 0)
            if !open.isEmpty, poll(&descriptor, 1, 20) == 0 {
                guard perform(script(.idle(number, open)), connection, level, &open) else { return }
                continue
            }
            guard let packet = MQTTPacket.read(from: connection, level: level) else { return }
            let actions: [Action]
            switch packet {
            case .connect(let connect):
                level = connect.level
                log.withLock { $0.connects.append(connect) }
                actions = script(.connect(number, connect))
            case .publish(let message):
                if message.qos > 0 { open.append(message.packetID) }
                log.withLock {
                    $0.published.append(message)
                    $0.mostOpen = max($0.mostOpen, open.count)
                }
                actions = script(.publish(number, message))
            case .puback(let id):
                log.withLock { $0.acknowledged.append(id) }
                actions = []
            case .subscribe(let request), .unsubscribe(let request):
                log.withLock { $0.requests.append(request) }
                guard let answer else { return Self.hangUp(on: connection) }
                actions = answer(request)
            case .ping: actions = [.octets([0xD0, 0x00])]
            case .disconnect: return log.withLock { $0.disconnects += 1 }
            case .other: return
            }
            guard perform(actions, connection, level, &open) else { return }
        }
    }

    /// - Returns: Whether the connection still stands.
    private func perform(_ actions: [Action], _ connection: Int32, _ level: UInt8, _ open: inout [UInt16]) -> Bool {
        for action in actions {
            switch action {
            case .connack(let reason, let properties):
                let tail = level == 5 ? [UInt8(properties.count)] + properties : []
                Self.send([0x20, UInt8(2 + tail.count), 0, reason] + tail, to: connection)
                guard reason == 0 else {
                    Self.hangUp(on: connection)
                    return false
                }
            case .octets(let octets): Self.send(octets, to: connection)
            case .puback(let id, let reason):
                open.removeAll { $0 == id }
                let head: [UInt8] = [UInt8(id >> 8), UInt8(id & 0xFF)]
                Self.send(reason == 0 ? [0x40, 2] + head : [0x40, 3] + head + [reason], to: connection)
            case .settled(let id): open.removeAll { $0 == id }
            case .disconnect(let reason):
                Self.send([0xE0, 1, reason], to: connection)
                Self.hangUp(on: connection)
                return false
            case .close:
                Self.hangUp(on: connection)
                return false
            case .reset:
                var linger = linger(l_onoff: 1, l_linger: 0)
                setsockopt(
                    connection, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
                return false
            case .sleep(let milliseconds): usleep(milliseconds * 1_000)
            }
        }
        return true
    }

    /// Ends the connection in order. With unread octets the kernel would reset the connection, and the client would lose the last packet.
    private static func hangUp(on connection: Int32) {
        shutdown(connection, Int32(SHUT_WR))
        var descriptor = pollfd(fd: connection, events: Int16(POLLIN), revents: 0)
        var rest = [UInt8](repeating: 0, count: 4_096)
        // A client that keeps its side open has been told for long enough after 5 s.
        while poll(&descriptor, 1, 5_000) > 0, recv(connection, &rest, rest.count, 0) > 0 {}
    }

    private static func send(_ octets: [UInt8], to connection: Int32) {
        _ = Glibc.send(connection, octets, octets.count, Int32(MSG_NOSIGNAL))
    }
}
