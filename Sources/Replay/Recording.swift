// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI
import HCITransport

/// The packets of a btsnoop file, with times that only grow, and the wishes of the recorded host.
struct Recording: Sendable {
    struct Entry: Sendable {
        var direction: BTSnoopWriter.Direction
        /// Time since the first packet. If the recorded clock was set back, this time stands still meanwhile. A pause
        /// counts as an hour at most. The time ends at ``Recording/longest``.
        var at: MonotonicTime
        /// A whole H4 packet.
        var packet: [UInt8]

        /// The opcode of a command.
        var command: HCIOpcode? {
            guard direction == .sent, packet.count >= 4, packet[0] == HCIPacketType.command.rawValue else { return nil }
            return HCIOpcode(rawValue: UInt16(packet[1]) | UInt16(packet[2]) << 8)
        }

        /// For Command Complete and Command Status: the answered command, and whether it succeeded.
        var answer: (opcode: HCIOpcode, isGood: Bool)? {
            switch event {
            case .commandComplete(_, let opcode, let parameters): (opcode, parameters.first == 0)
            case .commandStatus(let status, _, let opcode): (opcode, status == .success)
            default: nil
            }
        }

        /// The event, unless it is an advertising report.
        var event: HCIEvent? {
            guard isEvent, !isReport else { return nil }
            return try? HCIEvent(decoding: packet[1...])
        }

        private var isEvent: Bool {
            direction == .received && packet.count >= 3 && packet[0] == HCIPacketType.event.rawValue
        }

        private var subevent: LESubeventCode? {
            guard isEvent, packet.count >= 4, packet[1] == HCIEventCode.leMeta.rawValue else { return nil }
            return LESubeventCode(rawValue: packet[3])
        }

        var isReport: Bool { subevent == .advertisingReport || isExtendedReport }

        var isExtendedReport: Bool { subevent == .extendedAdvertisingReport }

        var isAcknowledgement: Bool { if case .numberOfCompletedPackets = event { true } else { false } }

        /// An event of encryption, or a frame of the Security Manager.
        var isOfSecurity: Bool {
            switch event {
            case .encryptionChange, .encryptionKeyRefreshComplete, .longTermKeyRequest: true
            default:
                dataHandle != nil && packet.count >= 9 && packet[2] & 0x30 != 0x10 && packet[7] == 6 && packet[8] == 0
            }
        }

        /// The connection handle of ACL data.
        var dataHandle: UInt16? {
            guard packet.count >= 5, packet[0] == HCIPacketType.aclData.rawValue else { return nil }
            return (UInt16(packet[1]) | UInt16(packet[2]) << 8) & 0x0FFF
        }
    }

    private static let longestPause: Int64 = 3_600_000_000
    /// A year, in microseconds. No recording is longer, and a file may contain any time.
    static let longest: Int64 = 366 * 86_400_000_000

    let entries: [Entry]
    /// Handles of links from before the recording.
    let earlierLinks: [UInt16]
    /// Resets of the host.
    let resets: [MonotonicTime]
    /// When a scan was stopped or started.
    let scanChanges: [MonotonicTime]
    /// The recording contains the set-up of the controller.
    let beginsWithSetUp: Bool

    init(_ records: [BTSnoopReader.Record]) {
        var entries: [Entry] = []
        entries.reserveCapacity(records.count)
        var now: Int64 = 0
        var last = records.first?.microseconds ?? 0
        for record in records {
            let (pause, overflow) = record.microseconds.subtractingReportingOverflow(last)
            now = min(now + (overflow ? 0 : min(max(0, pause), Self.longestPause)), Self.longest)
            last = record.microseconds
            guard !record.isCut else { continue }
            entries.append(
                Entry(
                    direction: record.direction, at: MonotonicTime(nanoseconds: now * 1_000), packet: record.packet))
        }
        self.entries = entries
        earlierLinks = Self.earlierLinks(in: entries)
        resets = entries.filter { $0.command == .reset }.map(\.at)
        scanChanges = entries.filter { $0.scanEnable != nil }.map(\.at)
        beginsWithSetUp = entries.prefix(8).contains { $0.command == .reset }
    }

    /// The scan was on at the start of the recording.
    var beginsScanning: Bool {
        guard !beginsWithSetUp else { return false }
        if let first = entries.first(where: { $0.scanEnable != nil })?.scanEnable { return !first }
        return entries.contains(where: \.isReport)
    }

    private static func earlierLinks(in entries: [Entry]) -> [UInt16] {
        var known: Set<UInt16> = []
        var earlier: [UInt16] = []
        func record(_ handle: UInt16) { if known.insert(handle).inserted { earlier.append(handle) } }
        for entry in entries {
            // Packets after a reset belong to recorded links.
            if entry.command == .reset { break }
            if let handle = entry.dataHandle { record(handle) }
            switch entry.event {
            case .numberOfCompletedPackets(let list): for item in list { record(item.handle) }
            case .disconnectionComplete(_, let handle, _): record(handle)
            case .connectionComplete(let completion): known.insert(completion.handle)
            default: break
            }
        }
        return Array(earlier.prefix(64))
    }
}

/// Wishes of the host's clients, derived from its commands.
extension Recording.Entry {
    /// Scan Enable, on or off.
    var scanEnable: Bool? {
        guard command == .leSetScanEnable || command == .leSetExtendedScanEnable, packet.count >= 5 else { return nil }
        return packet[4] != 0
    }

    /// Scan Parameters: whether scan responses are asked for.
    var scansActively: Bool? {
        switch command {
        case .leSetScanParameters where packet.count >= 5: packet[4] == 1
        case .leSetExtendedScanParameters where packet.count >= 8: packet[7] == 1
        default: nil
        }
    }

    /// The peer of a new connection attempt.
    var wantedPeer: DeviceAddress? {
        switch command {
        case .leAddDeviceToFilterAcceptList: address(at: 4)
        // Without the Filter Accept List.
        case .leCreateConnection where packet.count >= 9 && packet[8] == 0: address(at: 9)
        case .leExtendedCreateConnection where packet.count >= 5 && packet[4] == 0: address(at: 6)
        default: nil
        }
    }

    /// The link to end.
    var endedLink: UInt16? {
        guard command == .disconnect, packet.count >= 6 else { return nil }
        return (UInt16(packet[4]) | UInt16(packet[5]) << 8) & 0x0FFF
    }

    /// Its kind, then its octets.
    private func address(at offset: Int) -> DeviceAddress? {
        guard packet.count >= offset + 7 else { return nil }
        let value = packet[(offset + 1)..<(offset + 7)].reversed().reduce(0) { $0 << 8 | UInt64($1) }
        return DeviceAddress(kind: packet[offset] & 1 == 1 ? .random : .public, value: value)
    }
}
