// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Puts the fragments of one link's L2CAP frames together, within a bound: a frame longer than any channel of ours
/// takes is skipped, not stored. Core 5.4, Vol 3, Part A, 7.2.
package struct RecombinationMachine: Sendable {
    package enum Result: Equatable, Sendable {
        /// The fragment itself is a whole frame: nothing was copied.
        case whole
        /// ``frame`` now holds a whole frame.
        case recombined
        /// More fragments must come.
        case incomplete
        /// The fragment was thrown away.
        case dropped(Fault)
    }

    package enum Fault: Equatable, Sendable {
        /// A continuing fragment without a first fragment.
        case unexpectedContinuation
        /// Shorter than an L2CAP header.
        case headerCut
        /// The announced length is more than any of our channels takes.
        case tooLong(octets: Int, ChannelIdentifier)
        /// More octets came than were announced.
        case overrun
    }

    /// Largest payload that the machine accepts, in octets.
    private let limit: Int
    /// Octets of the recombined frame, its header included.
    package private(set) var frame: [UInt8] = []
    private var expected = 0
    /// Frames that never ended: the rest of the frame did not come before the next frame.
    package private(set) var abandoned = 0

    package init(limit: Int) { self.limit = limit }

    /// `fragment`: the payload of one ACL packet. `isFirst`: Packet_Boundary_Flag 0b00 or 0b10.
    package mutating func received(_ fragment: RawSpan, isFirst: Bool) -> Result {
        isFirst ? begin(fragment) : proceed(fragment)
    }

    private mutating func begin(_ fragment: RawSpan) -> Result {
        if expected > 0 {
            abandoned += 1
            expected = 0
        }
        guard fragment.byteCount >= L2CAPFrame.headerLength else { return .dropped(.headerCut) }
        let length = Int(fragment.u16(at: 0))
        guard length <= limit else {
            return .dropped(.tooLong(octets: length, ChannelIdentifier(rawValue: fragment.u16(at: 2))))
        }
        let total = L2CAPFrame.headerLength + length
        if fragment.byteCount == total { return .whole }
        guard fragment.byteCount < total else { return .dropped(.overrun) }
        frame.removeAll(keepingCapacity: true)
        append(fragment)
        expected = total
        return .incomplete
    }

    private mutating func proceed(_ fragment: RawSpan) -> Result {
        guard expected > 0 else { return .dropped(.unexpectedContinuation) }
        guard frame.count + fragment.byteCount <= expected else {
            expected = 0
            return .dropped(.overrun)
        }
        append(fragment)
        guard frame.count == expected else { return .incomplete }
        expected = 0
        return .recombined
    }

    private mutating func append(_ fragment: RawSpan) {
        fragment.withUnsafeBytes { frame.append(contentsOf: $0) }
    }
}
