// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// A sensor's state for its one link.
struct SensorBearer {
    /// L2CAP fixed channels of an LE link. Core 5.4, Vol 3, Part A, 2.1.
    enum Channel {
        static let attributes: UInt16 = 0x0004
        static let signalling: UInt16 = 0x0005
        static let security: UInt16 = 0x0006
    }

    /// Frames that the sensor's stack may queue for the air, without responses.
    static let queueCapacity = 32

    let link: Link
    var server: AttributeServer
    /// The frame that is being put together.
    var frame: [UInt8] = []
    /// When the last unconfirmed value was indicated.
    var indicatedAt: MonotonicTime?
    var isWatchingConfirmations = false
    /// A response is on its way to the client: the client must send no further request before it arrives.
    var isResponding = false
    var signallingIdentifier: UInt8 = 0
    /// Values that a client wrote to an echoing service, until there is room to send them back.
    var echoes = FIFO<(value: [UInt8], stream: Int)>()
    var odd: OddBearer

    init(link: Link, table: AttributeTable, oddities: Set<SensorOddity>) {
        self.link = link
        server = AttributeServer(table: table)
        odd = OddBearer(oddities)
    }

    func hasRoom(for frames: Int) -> Bool {
        link.peripheral.queue.count + frames <= Self.queueCapacity
    }
}

extension VirtualSensor {
    /// Marks of packets that carry no value of the ledger.
    private static let responseMark = -1

    // MARK: To the client

    /// Indicates that all services may have changed, to a client that asked for the indication.
    func indicateServiceChange() {
        guard let bearer, let stream = values.streams.firstIndex(of: .serviceChanged),
            bearer.server.configurations[stream] & 2 != 0
        else { return }
        let range: [UInt8] = [0x01, 0x00, 0xFF, 0xFF]
        sendFrame(
            [0x1D] + table.streams[stream].handle.octets + range, on: SensorBearer.Channel.attributes,
            mark: Self.responseMark)
        self.bearer?.indicatedAt = air.now
        watchConfirmations()
    }

    /// Notifies or indicates the stream's present value.
    func publish(_ stream: Int) { publish(value(of: stream), on: stream) }

    func publish(_ value: [UInt8], on stream: Int) {
        guard let bearer else { return }
        let isIndicated = bearer.server.configurations[stream] & 2 != 0
        let value = Array(value.prefix(bearer.server.mtu - 3))
        let mark = ledger.accept(
            value, sequence: sequence, of: SensorValues.uuid(of: values.streams[stream]), at: air.now)
        sendFrame(
            [isIndicated ? 0x1D : 0x1B] + table.streams[stream].handle.octets + value,
            on: SensorBearer.Channel.attributes,
            mark: mark)
        if isIndicated {
            self.bearer?.indicatedAt = air.now
            watchConfirmations()
        }
    }

    private func sendFrame(_ payload: [UInt8], on channel: UInt16, mark: Int? = nil) {
        guard let link = bearer?.link else { return }
        guard link.peripheral.queue.count < 2 * SensorBearer.queueCapacity else {
            violations.record("more was asked than answers have room for")
            return
        }
        air.send(
            UInt16(clamping: payload.count).octets + channel.octets + payload, isStart: true, token: mark,
            as: .peripheral, on: link)
    }

    func acknowledged(_ token: Int?, on link: Link) {
        guard let token else { return }
        if token == Self.responseMark { bearer?.isResponding = false } else { ledger.deliver(token) }
        sendEchoes()
    }

    /// L2CAP Connection Parameter Update Request. Core 5.4, Vol 3, Part A, 4.20.
    func requestParameters() {
        guard let wanted = configuration.wantedInterval, let link = bearer?.link else { return }
        bearer?.signallingIdentifier = 1
        sendFrame(
            [0x12, 1, 8, 0] + wanted.lowerBound.octets + wanted.upperBound.octets + (0 as UInt16).octets
                + link.parameters.supervisionTimeout.octets, on: SensorBearer.Channel.signalling)
    }

    // MARK: From the client

    func received(_ octets: ArraySlice<UInt8>, isStart: Bool, on link: Link) {
        guard var bearer, !configuration.answersNothing else { return }
        if isStart {
            if !bearer.frame.isEmpty { violations.record("an L2CAP frame was left unfinished") }
            bearer.frame = Array(octets)
        } else {
            guard !bearer.frame.isEmpty else {
                violations.record("an L2CAP continuation without a start")
                return
            }
            bearer.frame += octets
        }
        self.bearer?.frame = bearer.frame
        guard bearer.frame.count >= 4 else { return }
        let length = Int(bearer.frame[0]) | Int(bearer.frame[1]) << 8
        let channel = UInt16(bearer.frame[2]) | UInt16(bearer.frame[3]) << 8
        let size = bearer.frame.count - 4
        guard size >= length || length > 1024 else { return }
        self.bearer?.frame = []
        guard size == length else {
            violations.record("an L2CAP frame of \(length) octets came with \(size)")
            return
        }
        receivedFrame(bearer.frame[4...], on: channel)
    }

    private func receivedFrame(_ payload: ArraySlice<UInt8>, on channel: UInt16) {
        switch channel {
        case SensorBearer.Channel.attributes: receivedAttributePDU(payload)
        case SensorBearer.Channel.signalling: receivedSignal(payload)
        case SensorBearer.Channel.security:
            // Pairing Failed, Pairing Not Supported; other SMP commands need no answer.
            if payload.first == 0x01 { sendFrame([0x05, 0x05], on: channel) }
        default: violations.record("an L2CAP frame on channel \(channel)")
        }
    }

    private func receivedAttributePDU(_ pdu: ArraySlice<UInt8>) {
        guard var server = bearer?.server, let opcode = pdu.first else {
            violations.record("an empty ATT PDU")
            return
        }
        if pdu.count > server.mtu {
            violations.record("an ATT PDU of \(pdu.count) octets with an MTU of \(server.mtu)")
        }
        let isRequest = opcode & 0x41 == 0 && opcode != 0x1E
        if isRequest, bearer?.isResponding == true {
            violations.record("ATT request \(opcode) before the response to the last one")
            // A client that continues like this must not fill the memory.
            guard bearer?.hasRoom(for: 1) == true else { return }
        }
        let taken: [UInt8]
        switch bearer?.odd.treat(pdu, table) {
        case .hangUp: return disconnect()
        case .ignore, nil: return
        case .answer(let answer): return respond(answer)
        case .take(let octets): taken = octets
        }
        var store = AttributeServer.Store(current: { [unowned self] in value(of: $0) }, scratch: scratch)
        let (response, effect) = server.receive(taken[...], &store)
        scratch = store.scratch
        bearer?.server = server
        if let response {
            for _ in 0..<(bearer?.odd.copies(of: pdu, table) ?? 1) {
                respond(bearer?.odd.refined(response, to: pdu, table) ?? response)
            }
        }
        switch effect {
        case .configured: startSampling()
        case .echo(let value, _) where configuration.kind == .batteryMonitor: receiveCommand(value)
        case .echo(let value, let stream): echo(value, on: stream)
        case .confirmed: confirmed()
        case nil: break
        }
    }

    private func respond(_ response: [UInt8]) {
        sendFrame(response, on: SensorBearer.Channel.attributes, mark: Self.responseMark)
        bearer?.isResponding = true
    }

    private func confirmed() {
        if bearer?.indicatedAt == nil { violations.record("a confirmation without an indication") }
        bearer?.indicatedAt = nil
    }

    private func watchConfirmations() {
        guard let bearer, let indicatedAt = bearer.indicatedAt, !bearer.isWatchingConfirmations else { return }
        self.bearer?.isWatchingConfirmations = true
        schedule(.confirmationOverdue, after: indicatedAt + Self.confirmationTimeout - air.now)
    }

    /// Vol 3, Part F, 3.3.3: the bearer is dead after a transaction of 30 seconds.
    func checkConfirmation() {
        bearer?.isWatchingConfirmations = false
        guard let indicatedAt = bearer?.indicatedAt else { return }
        guard air.now - indicatedAt >= Self.confirmationTimeout else {
            watchConfirmations()
            return
        }
        violations.record("an indication was not confirmed within 30 seconds")
        disconnect()
    }

    private func receivedSignal(_ signal: ArraySlice<UInt8>) {
        guard signal.count >= 4 else {
            violations.record("an L2CAP signalling packet of \(signal.count) octets")
            return
        }
        let code = signal[signal.startIndex]
        let identifier = signal[signal.startIndex + 1]
        switch code {
        case 0x01, 0x13: break  // the answers to our request
        default:
            // Command Reject, command not understood. Vol 3, Part A, 4.1.
            sendFrame([0x01, identifier, 2, 0, 0, 0], on: SensorBearer.Channel.signalling)
        }
    }
}
