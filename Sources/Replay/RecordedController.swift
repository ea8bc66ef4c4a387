// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI
import HCITransport

/// Answers commands as the controller of a recording did. A recorded command gets its recorded answer with the recorded
/// delay, or silence. Any other command gets the answer of an ordinary controller.
struct RecordedController: Sendable {
    enum Reply: Equatable, Sendable {
        /// H4 packets, and their delay after the command.
        case packets([[UInt8]], after: Duration)
        case none
    }

    private struct Exchange {
        var sentAt: MonotonicTime
        var answer: (packet: [UInt8], delay: Duration)?
    }

    /// A command of the replay matches a command of the recording within this time, before or after.
    static let tolerance: Duration = .milliseconds(500)

    /// Exchanges of one opcode, in their order.
    private struct Sequence: Sendable {
        var exchanges: [Exchange] = []
        /// Exchanges before this index are over.
        var next = 0
    }

    private var sequences: [HCIOpcode: Sequence] = [:]
    /// For each command, a successful answer from the recording, if any.
    private var models: [HCIOpcode: [UInt8]] = [:]
    private let usesExtendedCommands: Bool
    /// Indices of the records that answer a command. The controller has sent all other records by itself.
    let answers: Set<Int>
    /// Commands without an answer in the recording, although the recording goes on beyond their time limit.
    let unanswered: [(opcode: HCIOpcode, at: MonotonicTime)]
    /// The recorded times of unanswered commands that the replay has sent as well.
    private(set) var repeated: Set<MonotonicTime> = []

    init(_ records: [Recording.Entry]) {
        var open: [HCIOpcode: Int] = [:]
        var answers: Set<Int> = []
        var usesExtendedCommands = false
        for (index, record) in records.enumerated() {
            if let opcode = record.command {
                open[opcode] = sequences[opcode, default: Sequence()].exchanges.count
                sequences[opcode, default: Sequence()].exchanges.append(Exchange(sentAt: record.at))
                if opcode == .leSetExtendedScanEnable || opcode == .leExtendedCreateConnection {
                    usesExtendedCommands = true
                }
            } else if let (opcode, isGood) = record.answer, let place = open.removeValue(forKey: opcode),
                let command = sequences[opcode]?.exchanges[place]
            {
                sequences[opcode]?.exchanges[place].answer = (record.packet, record.at - command.sentAt)
                answers.insert(index)
                if isGood, models[opcode] == nil { models[opcode] = record.packet }
            } else if record.isExtendedReport {
                usesExtendedCommands = true
            }
        }
        self.answers = answers
        self.usesExtendedCommands = usesExtendedCommands
        let resets = records.filter { $0.command == .reset }.map(\.at)
        let end = records.last?.at ?? .zero
        unanswered = sequences.flatMap { opcode, sequence in
            sequence.exchanges.filter { $0.answer == nil && Self.isOverdue($0, opcode, resets, end) }
                .map { (opcode, $0.sentAt) }
        }.sorted { $0.at < $1.at }
    }

    /// The recorded host waited for its full time limit. Neither the end of the recording nor another restart came
    /// before.
    private static func isOverdue(
        _ exchange: Exchange, _ opcode: HCIOpcode, _ resets: [MonotonicTime], _ end: MonotonicTime
    ) -> Bool {
        let limit = opcode == .reset ? CommandCreditMachine<Int>.resetTimeout : CommandCreditMachine<Int>.timeout
        let over = resets.first { $0 > exchange.sentAt } ?? end
        return over - exchange.sentAt >= limit - .milliseconds(100)
    }

    /// - Parameter packet: an H4 command.
    mutating func reply(to packet: [UInt8], at now: MonotonicTime) -> Reply {
        guard packet.count >= 4 else { return .none }
        let opcode = HCIOpcode(rawValue: UInt16(packet[1]) | UInt16(packet[2]) << 8)
        if let exchange = takeExchange(opcode, at: now) {
            guard let answer = exchange.answer else {
                repeated.insert(exchange.sentAt)
                return .none
            }
            return .packets([answer.packet], after: answer.delay)
        }
        return .packets(ordinaryReply(to: opcode, packet), after: .zero)
    }

    /// The recorded command that matches the present command.
    private mutating func takeExchange(_ opcode: HCIOpcode, at now: MonotonicTime) -> Exchange? {
        guard let exchanges = sequences[opcode]?.exchanges, var next = sequences[opcode]?.next else { return nil }
        defer { sequences[opcode]?.next = next }
        while exchanges.indices.contains(next), now - exchanges[next].sentAt > Self.tolerance { next += 1 }
        guard exchanges.indices.contains(next), exchanges[next].sentAt - now <= Self.tolerance else { return nil }
        next += 1
        return exchanges[next - 1]
    }

    private func ordinaryReply(to opcode: HCIOpcode, _ packet: [UInt8]) -> [[UInt8]] {
        let answer = models[opcode] ?? ordinaryAnswer(to: opcode)
        switch opcode {
        case .disconnect where packet.count >= 6:
            return [answer, [0x04, 0x05, 4, 0, packet[4], packet[5], HCIStatus.localHostTerminated.rawValue]]
        case .leCreateConnectionCancel:
            let ended = [0x01, HCIStatus.unknownConnectionIdentifier.rawValue] + [UInt8](repeating: 0, count: 17)
            return [answer, [0x04, 0x3E, UInt8(ended.count)] + ended]
        case .leReadRemoteFeatures where packet.count >= 6:
            return [answer, [0x04, 0x3E, 12, 0x04, 0, packet[4], packet[5], 1, 0, 0, 0, 0, 0, 0, 0]]
        case .leSetPHY where packet.count >= 6:
            return [answer, [0x04, 0x3E, 6, 0x0C, 0, packet[4], packet[5], 1, 1]]
        default: return [answer]
        }
    }

    /// An Error Response (Request Not Supported) to a request of the attribute protocol. The host's own requests to a
    /// peer need not be in the recording, and a link without answers ends. Core 5.4, Vol 3, Part F, 3.4.1.1.
    ///
    /// - Parameter packet: H4 ACL data.
    static func refusal(of packet: [UInt8]) -> [UInt8]? {
        guard packet.count >= 10, packet[2] & 0x30 == 0, packet[7] == 4, packet[8] == 0,
            attRequests.contains(packet[9])
        else { return nil }
        return [0x02, packet[1], packet[2] & 0x0F | 0x20, 9, 0, 5, 0, 4, 0, 0x01, packet[9], 0, 0, 0x06]
    }

    private static let attRequests: Set<UInt8> = [
        0x02, 0x04, 0x06, 0x08, 0x0A, 0x0C, 0x0E, 0x10, 0x12, 0x16, 0x18, 0x20,
    ]

    private func ordinaryAnswer(to opcode: HCIOpcode) -> [UInt8] {
        let low = UInt8(truncatingIfNeeded: opcode.rawValue), high = UInt8(truncatingIfNeeded: opcode.rawValue >> 8)
        guard !Self.answeredWithStatus.contains(opcode) else { return [0x04, 0x0F, 4, 0, 1, low, high] }
        let parameters = ordinaryParameters(of: opcode)
        return [0x04, 0x0E, UInt8(4 + parameters.count), 1, low, high, 0] + parameters
    }

    private static let answeredWithStatus: Set<HCIOpcode> = [
        .disconnect, .readRemoteVersionInformation, .leCreateConnection, .leExtendedCreateConnection,
        .leConnectionUpdate,
        .leReadRemoteFeatures, .leEnableEncryption, .leSetPHY,
    ]

    /// Return parameters, without the status, of a Bluetooth 5.0 controller for LE alone. Core 5.4, Vol 4, Part E, 7.4
    /// and 7.8.
    private func ordinaryParameters(of opcode: HCIOpcode) -> [UInt8] {
        switch opcode {
        case .readLocalVersionInformation: [9, 0, 0, 9, 0xFF, 0xFF, 0, 0]
        case .readLocalSupportedCommands: [UInt8](repeating: 0xFF, count: 64)
        // LE, no BR/EDR.
        case .readLocalSupportedFeatures: [0, 0, 0, 0, 0x60, 0, 0, 0]
        case .readBDADDR: [0x01, 0x53, 0x00, 0x5E, 0x00, 0x00]
        // Encryption, parameters request, data length; extended advertising.
        case .leReadLocalSupportedFeatures: [0x23, usesExtendedCommands ? 0x10 : 0, 0, 0, 0, 0, 0, 0]
        case .leReadBufferSize: [251, 0, 16]
        case .readBufferSize: [0xFD, 0x03, 0, 16, 0, 0, 0]
        case .leReadFilterAcceptListSize, .leReadResolvingListSize: [32]
        case .leReadSupportedStates: [UInt8](repeating: 0xFF, count: 5) + [3, 0, 0]
        case .leReadMaximumAdvertisingDataLength: [0x72, 0x06]
        case .leReadNumberOfSupportedAdvertisingSets: [8]
        default: [UInt8](repeating: 0, count: 8)
        }
    }
}
