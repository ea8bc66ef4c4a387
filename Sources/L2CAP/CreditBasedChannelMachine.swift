// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// One open channel in LE credit based flow control mode: cuts SDUs into frames, puts frames together to SDUs, and
/// keeps both sides to their credits. Core 5.4, Vol 3, Part A, 3.4 and 10.
///
/// The link pulls frames (``nextFrame()``) as fast as it can send them, so that no queue below this machine escapes
/// credits and the limit of the channel. The machine gives credits back for consumed octets: a peer can make us keep
/// ``window`` frames at most.
package struct CreditBasedChannelMachine: Sendable {
    /// The peer's violation of the rules; the channel has to be disconnected.
    package enum Fault: Equatable, Sendable {
        /// More credits than 65535 in all. 10.1.
        case creditOverflow
        case frameWithoutCredit
        /// A frame longer than our MPS.
        case frameTooLong
        /// The first frame of an SDU has no SDU length.
        case lengthMissing
        /// An SDU longer than our MTU.
        case sduTooLong
        /// More octets than the SDU length announced.
        case sduOverrun
    }

    package enum Reception: Equatable, Sendable {
        case incomplete
        case sdu([UInt8])
        case fault(Fault)
    }

    /// Longest SDU that we take, in octets: the size that Apple's devices offer, and nine frames of ours.
    package static let mtu: UInt16 = 2048
    /// Longest frame payload that we take, in octets. With its header of 4 it fills one link layer packet of 251, the
    /// longest with data length extension, and one ACL packet of most controllers.
    package static let mps: UInt16 = 247
    /// Frames of unconsumed octets and credits together: 7.9 kB, more than an SDU, so that an SDU always fits, and about
    /// what a link moves in two connection intervals of 30 ms.
    package static let window = 32
    /// Octets that may wait to be sent. An empty queue takes one SDU of any length.
    package static let sendLimit = 16_384
    /// The machine tells a refused sender to try again when fewer octets than this wait.
    private static let readyLevel = 8_192

    package let local: ChannelIdentifier
    package let remote: ChannelIdentifier
    package let spsm: UInt16
    /// Longest SDU that the peer takes, in octets.
    package let peerMTU: Int
    private let peerMPS: Int

    // Receiving.
    /// Credits that the peer has.
    private(set) var receiveCredits: Int
    private var sdu: [UInt8] = []
    private var sduLength: Int?
    /// Octets of SDUs that the user has received and not yet consumed.
    private var unread = 0

    // Sending.
    /// Credits that we have.
    package private(set) var sendCredits: Int
    private var waiting: [[UInt8]] = []
    /// The first waiting SDU that is not sent whole; the SDUs before it are sent.
    private var first = 0
    /// Octets of the first SDU that are already sent.
    private var sent = 0
    /// Octets that wait to be sent.
    private var waitingOctets = 0
    private var owesReady = false

    /// `offer`: the values that the peer gave for its end. The peer was given ``window`` credits.
    package init(local: ChannelIdentifier, spsm: UInt16, offer: ChannelOffer) {
        self.local = local
        self.spsm = spsm
        remote = offer.channel
        peerMTU = Int(offer.mtu)
        peerMPS = Int(offer.mps)
        sendCredits = Int(offer.credits)
        receiveCredits = Self.window
    }

    // MARK: Receiving

    /// Takes the payload of one frame.
    package mutating func received(_ payload: RawSpan) -> Reception {
        guard payload.byteCount <= Int(Self.mps) else { return .fault(.frameTooLong) }
        guard receiveCredits > 0 else { return .fault(.frameWithoutCredit) }
        receiveCredits -= 1
        var start = 0
        if sduLength == nil {
            guard payload.byteCount >= 2 else { return .fault(.lengthMissing) }
            let length = Int(payload.u16(at: 0))
            guard length <= Int(Self.mtu) else { return .fault(.sduTooLong) }
            sduLength = length
            sdu.reserveCapacity(length)
            start = 2
        }
        guard let length = sduLength, sdu.count + payload.byteCount - start <= length else {
            return .fault(.sduOverrun)
        }
        payload.extracting(start..<payload.byteCount).withUnsafeBytes { sdu.append(contentsOf: $0) }
        guard sdu.count == length else { return .incomplete }
        sduLength = nil
        unread += length
        let whole = sdu
        sdu = []
        return .sdu(whole)
    }

    /// The user has consumed `octets` of received SDUs.
    package mutating func consumed(_ octets: Int) {
        unread = max(0, unread - max(0, octets))
    }

    /// Credits to give the peer now; 0 when it is too early. Credits are given in groups: each indication is a packet
    /// of its own.
    package mutating func takeCreditsToGive() -> UInt16 {
        let mps = Int(Self.mps)
        let target = Self.window - (unread + sdu.count + mps - 1) / mps
        let missing = target - receiveCredits
        guard missing >= Self.window / 2 || (missing > 0 && receiveCredits == 0) else { return 0 }
        receiveCredits += missing
        return UInt16(missing)
    }

    // MARK: Sending

    /// Queues an SDU; false when the SDU is longer than the peer takes, or when the queue is full and the sender has to
    /// wait for ``takeReady()``. `isLast`: the SDU is the last before the channel closes, and may go beyond the limit.
    package mutating func send(_ sdu: [UInt8], isLast: Bool = false) -> Bool {
        guard sdu.count <= min(peerMTU, 65535) else { return false }
        guard isLast || waitingOctets == 0 || waitingOctets + sdu.count <= Self.sendLimit else {
            owesReady = true
            return false
        }
        guard !sdu.isEmpty else { return true }
        waiting.append(sdu)
        waitingOctets += sdu.count
        return true
    }

    /// Takes credits; nil when their sum is within the limit. Zero credits are ignored. 4.24.
    package mutating func received(credits: UInt16) -> Fault? {
        guard sendCredits + Int(credits) <= 65535 else { return .creditOverflow }
        sendCredits += Int(credits)
        return nil
    }

    package var hasWaiting: Bool { first < waiting.count }
    package var canSend: Bool { hasWaiting && sendCredits > 0 }

    /// The payload of the next frame; nil without octets or without credits.
    package mutating func nextFrame() -> [UInt8]? {
        guard canSend else { return nil }
        let sdu = waiting[first]
        var payload: [UInt8] = []
        let count = min(sdu.count - sent, peerMPS - (sent == 0 ? 2 : 0))
        payload.reserveCapacity(count + 2)
        if sent == 0 { payload.append(u16: UInt16(truncatingIfNeeded: sdu.count)) }
        payload.append(contentsOf: sdu[sent..<(sent + count)])
        sendCredits -= 1
        sent += count
        waitingOctets -= count
        if sent == sdu.count { finishFirst() }
        return payload
    }

    private mutating func finishFirst() {
        sent = 0
        waiting[first] = []
        first += 1
        // Removes sent SDUs now and then, not after every SDU.
        guard first == waiting.count || first >= 64 else { return }
        waiting.removeFirst(first)
        first = 0
    }

    /// True once after ``send(_:)`` refused an SDU and there is room again.
    package mutating func takeReady() -> Bool {
        guard owesReady, waitingOctets <= Self.readyLevel else { return false }
        owesReady = false
        return true
    }
}
