// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Shares the controller's ACL buffers between links. Each link has a bounded queue, and links take turns, so that a
/// peer that does not acknowledge cannot block the other links. Core 5.4, Vol 4, Part E, 4.1.
package struct ACLCreditMachine: Sendable {
    /// L2CAP PDUs that may wait for one link.
    package static let queueCapacity = 64
    /// Payload octets of the smallest buffers that LE allows. Core 5.4, Vol 4, Part E, 7.8.2.
    package static let minimumPacketLength = 27

    private struct Link {
        /// ACL packets with their H4 type octet, and whether each is the last of its PDU.
        var waiting: [(packet: [UInt8], endsPDU: Bool)] = []
        var waitingPDUs = 0
        /// Packets in the controller.
        var inFlight = 0
        /// When the controller last took or completed a packet of this link.
        var progress = MonotonicTime.zero
    }

    /// How long a link may keep packets without completing any of them. A living peer acknowledges sooner.
    package static let patience: Duration = .seconds(30)

    private var links: [UInt16: Link] = [:]
    /// Links with packets in the controller.
    private var busyLinks = 0
    /// Connection handles in turn order.
    private var turns: [UInt16] = []
    private var nextTurn = 0
    private var credits: Int
    private let total: Int
    private let packetLength: Int
    /// Completed packets that the controller reported for an unknown link, or beyond the packets sent: the controller's
    /// error.
    package private(set) var unexpectedCompletions = 0

    /// `packetLength`: ACL payload octets in a packet, at least 27. `count`: buffers, at least 1.
    package init(packetLength: Int, count: Int) {
        self.packetLength = max(Self.minimumPacketLength, packetLength)
        total = max(1, count)
        credits = total
    }

    package mutating func connected(_ handle: UInt16) {
        guard links[handle] == nil else { return }
        links[handle] = Link()
        turns.append(handle)
    }

    /// Disconnection Complete frees the controller's buffers; no completed-packets event follows.
    package mutating func disconnected(_ handle: UInt16) {
        guard let link = links.removeValue(forKey: handle) else { return }
        credits = min(total, credits + link.inFlight)
        if link.inFlight > 0 { busyLinks -= 1 }
        turns.removeAll { $0 == handle }
        nextTurn = 0
    }

    /// Queues an L2CAP PDU, cut into ACL packets; false when the link is unknown or its queue is full.
    package mutating func enqueue(_ pdu: [UInt8], on handle: UInt16) -> Bool {
        guard var link = links[handle], link.waitingPDUs < Self.queueCapacity else { return false }
        var start = 0
        repeat {
            let end = min(pdu.count, start + packetLength)
            var packet: [UInt8] = [HCIPacketType.aclData.rawValue]
            packet.reserveCapacity(5 + end - start)
            // Packet_Boundary_Flag 0b00: first, not flushable; 0b01: continuing. Vol 4, Part E, 5.4.2.
            packet.append(u16: handle | (start == 0 ? 0 : 0x1000))
            packet.append(u16: UInt16(truncatingIfNeeded: end - start))
            packet.append(contentsOf: pdu[start..<end])
            link.waiting.append((packet, end == pdu.count))
            start = end
        } while start < pdu.count
        link.waitingPDUs += 1
        links[handle] = link
        return true
    }

    /// The next packet to hand to the controller now, if any, and whether it ends a PDU of its link.
    package mutating func next(at now: MonotonicTime) -> (handle: UInt16, packet: [UInt8], endsPDU: Bool)? {
        guard credits > 0 else { return nil }
        for step in turns.indices {
            let position = (nextTurn + step) % turns.count
            let handle = turns[position]
            guard let item = takeFirst(of: handle, at: now) else { continue }
            credits -= 1
            nextTurn = (position + 1) % turns.count
            return (handle, item.packet, item.endsPDU)
        }
        return nil
    }

    /// Buffers that one link may hold. If there are several links, it is half of all buffers: a peer that acknowledges
    /// nothing leaves the other half to the other links.
    private var share: Int { links.count > 1 ? max(1, (total + 1) / 2) : total }

    private mutating func takeFirst(of handle: UInt16, at now: MonotonicTime) -> (packet: [UInt8], endsPDU: Bool)? {
        guard links[handle]?.waiting.isEmpty == false, let inFlight = links[handle]?.inFlight, inFlight < share else {
            return nil
        }
        let item = links[handle]?.waiting.removeFirst()
        if item?.endsPDU == true { links[handle]?.waitingPDUs -= 1 }
        if inFlight == 0 {
            busyLinks += 1
            links[handle]?.progress = now
        }
        links[handle]?.inFlight = inFlight + 1
        return item
    }

    /// When ``takeStalled(at:)`` must be called next.
    package var deadline: MonotonicTime? {
        guard busyLinks > 0 else { return nil }
        return links.values.lazy.filter { $0.inFlight > 0 }.map { $0.progress + Self.patience }.min()
    }

    /// Links whose packets stay in the controller; each link is named again after another ``patience``.
    package mutating func takeStalled(at now: MonotonicTime) -> [UInt16] {
        guard busyLinks > 0 else { return [] }
        let stalled = links.filter { $0.value.inFlight > 0 && now - $0.value.progress >= Self.patience }.keys.sorted()
        for handle in stalled { links[handle]?.progress = now }
        return stalled
    }

    package mutating func completed(_ count: UInt16, on handle: UInt16, at now: MonotonicTime) {
        guard let inFlight = links[handle]?.inFlight else {
            unexpectedCompletions += Int(count)
            return
        }
        let accepted = min(Int(count), inFlight)
        unexpectedCompletions += Int(count) - accepted
        if accepted > 0 { links[handle]?.progress = now }
        if inFlight > 0, accepted == inFlight { busyLinks -= 1 }
        links[handle]?.inFlight = inFlight - accepted
        credits = min(total, credits + accepted)
    }

    /// PDUs of this link that are not yet handed to the controller.
    package func waitingPDUs(on handle: UInt16) -> Int { links[handle]?.waitingPDUs ?? 0 }
}
