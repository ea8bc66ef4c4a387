// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CMosquitto
import Glibc

/// One connection to the broker on libmosquitto, from CONNECT to its end. For one thread, and for one use.
///
/// The library runs without threads of its own. Publishing writes to the socket at once, acknowledgements come in while
/// this thread reads, and so nothing needs a lock.
package final class MQTTConnection {
    package enum Version: String, Sendable {
        case v5 = "5.0"
        case v3 = "3.1.1"

        var number: Int32 { self == .v5 ? MQTT_PROTOCOL_V5 : MQTT_PROTOCOL_V311 }
    }

    /// The broker's answer to a message.
    package struct Settlement {
        package var messageID: Int32
        package var reason: MQTTReason
    }

    private static let initialized: Int32 = mosquitto_lib_init()

    let handle: OpaquePointer
    private let options: MQTTOptions
    private let address: BrokerAddress
    /// Outlives the handle, which points into this context.
    private let tls: TLSContext?
    /// The address of the TCP connection, in digits; nil before.
    package private(set) var dialedHost: String?
    /// The broker's name has another address that may be tried: ``BrokerDialer/Connection/hasOthers``.
    package private(set) var hasOtherHosts = false
    /// Set when CONNECT has been sent.
    private(set) var input: GuardedInput?
    package internal(set) var acceptance: Acceptance?
    /// Why the connection ended; nil during the connection.
    package private(set) var failure: MQTTFailure?
    /// Acknowledgements since they were last taken.
    private(set) var settlements: [Settlement] = []
    /// Incoming messages; nil if the connection takes none.
    var inbox: Inbox?
    /// The filters of each unanswered SUBSCRIBE and UNSUBSCRIBE, by packet identifier.
    var requests: [Int32: [TopicFilter]] = [:]
    /// Answers since they were last taken.
    var subscriptionResults: [SubscriptionResult] = []
    private var complaint: String?
    private var gathers = false
    /// The kernel keeps small packets back.
    private var isCorked = false

    /// Throws if a file or a value of the options cannot be used.
    package init(_ options: MQTTOptions, at address: BrokerAddress) throws(MQTTFailure) {
        if let secured = options.tls {
            tls = try TLSContext(secured, host: address.host)
        } else {
            tls = nil
        }
        guard Self.initialized == 0, let handle = mosquitto_new(options.clientID, options.startsClean, nil) else {
            throw MQTTFailure(code: Int32(MOSQ_ERR_NOMEM.rawValue))
        }
        self.handle = handle
        self.options = options
        self.address = address
        inbox = options.incoming.map { Inbox($0) }
        mosquitto_user_data_set(handle, Unmanaged.passUnretained(self).toOpaque())
        setCallbacks()
        if inbox != nil { setMessageCallbacks() }
        try check(mosquitto_int_option(handle, MOSQ_OPT_PROTOCOL_VERSION, version.number))
        try check(mosquitto_int_option(handle, MOSQ_OPT_TCP_NODELAY, 1))
        let inFlight = Int32(min(max(options.maximumInFlight, 1), 65_535))
        try check(mosquitto_int_option(handle, MOSQ_OPT_SEND_MAXIMUM, inFlight))
        if let username = options.username {
            try check(mosquitto_username_pw_set(handle, username, options.password?.revealed))
        }
        if let tls { try check(tls.install(in: handle)) }
        if let will = options.will {
            try check(
                mosquitto_will_set(handle, will.topic, Int32(will.payload.count), will.payload, 1, will.retain))
        }
    }

    /// The version of MQTT on this connection.
    package var version: Version { options.version }

    deinit {
        tls?.uninstall()
        mosquitto_destroy(handle)
    }

    /// A step of ``connect(by:isCancelled:_:)``.
    package enum Step: Sendable {
        /// The name was looked up, and the TCP connection is being made.
        case connecting
        /// The TCP connection stands. CONNECT goes out next, after the TLS handshake if TLS is on.
        case established
    }

    /// Looks the broker up, connects and sends CONNECT; blocks for the times of `dialer` at most.
    ///
    /// - Parameters:
    ///   - isCancelled: Asked ten times a second; true ends the attempt.
    ///   - progress: Called at the beginning of each step.
    package func connect(
        by dialer: BrokerDialer = BrokerDialer(), isCancelled: () -> Bool = { false },
        _ progress: (Step) -> Void = { _ in }
    ) throws(MQTTFailure) {
        let dialed = try dialer.dial(address, connecting: { progress(.connecting) }, isCancelled: isCancelled).get()
        (dialedHost, hasOtherHosts) = (dialed.host, dialed.hasOthers)
        defer { close(dialed.descriptor) }
        progress(.established)
        let exchange = try SocketExchange()
        defer { exchange.end() }
        try sendConnect(to: exchange)
        try exchange.give(dialed.descriptor, to: descriptor, within: dialer.connectTime)
        let messages = options.incoming.map {
            PacketGuard.Messages(longest: $0.packetSize, continuesSession: !options.startsClean)
        }
        input = try GuardedInput(
            handle, tls: tls, packets: PacketGuard(hasProperties: version == .v5, messages: messages))
    }

    private func sendConnect(to exchange: SocketExchange) throws(MQTTFailure) {
        var properties: OpaquePointer?
        defer { mosquitto_property_free_all(&properties) }
        if version == .v5 {
            try check(
                mosquitto_property_add_int32(
                    &properties, MQTT_PROP_SESSION_EXPIRY_INTERVAL.identifier,
                    UInt32(clamping: options.sessionExpirySeconds)))
            if let incoming = options.incoming {
                try check(
                    mosquitto_property_add_int32(
                        &properties, MQTT_PROP_MAXIMUM_PACKET_SIZE.identifier, UInt32(clamping: incoming.packetSize)))
            }
        }
        let keepAlive = Int32(min(max(options.keepAliveSeconds, 5), 65_535))
        try check(mosquitto_connect_bind_v5(handle, "127.0.0.1", Int32(exchange.port), keepAlive, nil, properties))
    }

    /// Sends a message, or queues it for the socket.
    ///
    /// - Parameter properties: For MQTT 5; left out with an older version.
    /// - Returns: The message id that the acknowledgement will carry.
    package func publish(
        _ payload: [UInt8], to topic: String, qos: Int32 = 1, retain: Bool = false,
        properties: MessageProperties? = nil
    ) throws(MQTTFailure) -> Int32 {
        // libmosquitto refuses such a topic, too, and does not tell its refusal from a fault of the connection.
        do { _ = try TopicName(topic) } catch { throw .topic(error) }
        let properties = version == .v5 ? properties : nil
        guard octets(of: payload, topic, qos, properties) <= acceptance?.maximumPacketSize ?? .max else {
            throw .tooLarge
        }
        if gathers, !isCorked { cork(true) }
        var messageID: Int32 = 0
        let allowed = retain && options.retain && acceptance?.retainAvailable ?? true
        try check(
            mosquitto_publish_v5(
                handle, &messageID, topic, Int32(payload.count), payload, qos, allowed, properties?.list))
        if qos > 0 { input?.expectAcknowledgement(of: messageID) }
        return messageID
    }

    /// Octets of the whole packet; the library's own check leaves out the first.
    private func octets(
        of payload: [UInt8], _ topic: String, _ qos: Int32, _ properties: MessageProperties?
    ) -> Int {
        var length = 2 + topic.utf8.count + (qos > 0 ? 2 : 0) + payload.count
        if version == .v5 {
            let properties = properties?.length ?? 0
            length += Self.octets(ofVariable: properties) + properties
        }
        return Self.octets(ofPacket: length)
    }

    /// - Parameter length: Octets after the fixed header.
    static func octets(ofPacket length: Int) -> Int { 1 + octets(ofVariable: length) + length }

    /// MQTT 5.0, 1.5.5.
    private static func octets(ofVariable number: Int) -> Int {
        switch number {
        case ..<(1 << 7): 1
        case ..<(1 << 14): 2
        case ..<(1 << 21): 3
        default: 4
        }
    }

    /// Says goodbye: the broker drops the will.
    package func disconnect() {
        mosquitto_disconnect_v5(handle, 0, nil)
    }

    /// Whether ``takeSettlements()`` has anything to return.
    package var hasSettlements: Bool { !settlements.isEmpty }

    /// The acknowledgements since the last call; a message with QoS 0 is settled when the socket has it.
    package func takeSettlements() -> [Settlement] {
        defer { settlements.removeAll(keepingCapacity: true) }
        return settlements
    }

    // MARK: - Input and output

    /// The socket; −1 when there is none.
    package var descriptor: Int32 { mosquitto_socket(handle) }
    package var wantsWrite: Bool { input?.wantsWrite ?? mosquitto_want_write(handle) }

    /// Keys are agreed on, or TLS is off: the broker answers CONNECT next.
    package var isSecured: Bool { tls?.isEstablished ?? true }

    /// While this is on, the kernel holds published messages back, and sends small packets together.
    package func gather(_ on: Bool) {
        gathers = on
        if !on, isCorked { cork(false) }
    }

    private func cork(_ on: Bool) {
        isCorked = on
        var value: Int32 = on ? 1 : 0
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_CORK, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Reads the broker's octets.
    package func read() {
        do throws(MQTTFailure) {
            if let input { record(try input.read()) }
        } catch {
            fail(error)
        }
    }

    /// Sends the octets that waited for the socket.
    package func write() { record(mosquitto_loop_write(handle, 1)) }

    /// Keep-alive; to be called about once a second.
    package func tick() { record(mosquitto_loop_misc(handle)) }

    func record(_ code: Int32) {
        guard code != MOSQ_ERR_SUCCESS.rawValue else { return }
        fail(failure(code))
    }

    func fail(_ failure: MQTTFailure) {
        // The first reason is the cause; later reasons are the library's clearing up.
        guard self.failure == nil else { return }
        self.failure = failure.isWordless ? cutAnswer ?? failure : failure
    }

    /// The failure of a broker whose answer to CONNECT has begun and not ended; nil for another broker.
    package var cutAnswer: MQTTFailure? { input?.unfinishedAnswer.map { .cutAnswer(octets: $0) } }

    func check(_ code: Int32) throws(MQTTFailure) {
        if code != MOSQ_ERR_SUCCESS.rawValue { throw failure(code) }
    }

    private func failure(_ code: Int32) -> MQTTFailure {
        let failure = MQTTFailure(code: code, detail: complaint)
        // The library only says that a certificate is not good.
        if let tls, let problem = tls.problem { return .certificate(problem, isAboutTime: tls.problemIsAboutTime) }
        // The library's code for a failure of TLS.
        guard tls != nil, failure == .system(EPROTO) else { return failure }
        return .library(code: Int32(MOSQ_ERR_TLS.rawValue), detail: String(cString: martlet_tls_reason()))
    }

    // MARK: - Set-up

    private func setCallbacks() {
        mosquitto_connect_v5_callback_set(handle) { _, context, code, _, properties in
            MQTTConnection.from(context)?.connected(code, properties)
        }
        mosquitto_disconnect_v5_callback_set(handle) { _, context, code, _ in
            MQTTConnection.from(context)?.disconnected(code)
        }
        mosquitto_publish_v5_callback_set(handle) { _, context, messageID, code, _ in
            MQTTConnection.from(context)?.settlements.append(
                Settlement(messageID: messageID, reason: MQTTReason(rawValue: UInt8(truncatingIfNeeded: code))))
        }
        mosquitto_log_callback_set(handle) { _, context, level, text in
            guard level == MOSQ_LOG_ERR, let text else { return }
            MQTTConnection.from(context)?.complaint = String(cString: text)
        }
    }

    static func from(_ context: UnsafeMutableRawPointer?) -> MQTTConnection? {
        context.map { Unmanaged<MQTTConnection>.fromOpaque($0).takeUnretainedValue() }
    }
}

extension mqtt5_property {
    var identifier: Int32 { Int32(rawValue) }
}
