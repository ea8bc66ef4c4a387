// SPDX-License-Identifier: Apache-2.0

import ATT

/// The progress of one discovery through a range of handles. The walk demands that each answer leads on, so that a
/// server cannot keep the client busy for ever, and notes the server's departures from the specification.
struct DiscoveryWalk: Sendable {
    let subject: GATTOddity.Subject
    private let end: UInt16
    /// The first handle to ask for.
    private(set) var start: UInt16
    private(set) var oddities = GATTOddities()
    /// Items of all answers, usable or not.
    private var items = 0

    init(_ subject: GATTOddity.Subject, from start: UInt16 = 1, to end: UInt16 = 0xFFFF) {
        self.subject = subject
        self.start = start
        self.end = end
    }

    mutating func record(_ kind: GATTOddity.Kind, at handle: UInt16) {
        oddities.record(GATTOddity(subject, kind, at: handle))
    }

    /// The items of one answer within the requested range, each handle once, in the order of handles.
    mutating func admit<Item>(_ answer: [Item], _ handle: (Item) -> UInt16) -> [Item] {
        items += answer.count
        var taken: [Item] = []
        var isSorted = true
        for item in answer {
            let place = handle(item)
            guard place >= start, place <= end else {
                record(.handleOutOfRange, at: place)
                continue
            }
            guard !taken.contains(where: { handle($0) == place }) else {
                record(.comesTwice, at: place)
                continue
            }
            if let last = taken.last, handle(last) > place { isSorted = false }
            taken.append(item)
        }
        guard !isSorted else { return taken }
        record(.outOfOrder, at: start)
        return taken.sorted { handle($0) < handle($1) }
    }

    /// The handles of a service, cut before the next service; nil if the service ends before it begins.
    mutating func range(of group: ATTPDU.HandleRange, before next: UInt16?) -> ATTPDU.HandleRange? {
        guard group.end >= group.start else {
            record(.endsBeforeStart, at: group.start)
            return nil
        }
        guard let next, group.end >= next else { return group }
        record(.overlapsNext, at: group.start)
        return ATTPDU.HandleRange(start: group.start, end: next - 1)
    }

    /// Goes on after `handle`, the answer's last handle; nil for an answer without items. False when the walk is over.
    mutating func advance(past handle: UInt16?) -> Bool {
        guard let handle, handle >= start else {
            record(.endless, at: start)
            return false
        }
        guard handle < end else { return false }
        start = handle + 1
        guard items < GATTLimit.attributes else {
            record(.endless, at: start)
            return false
        }
        return true
    }

    /// The server refuses to go on. Nil for the regular end, and for an error after which the found items can be used.
    mutating func refused(_ error: ATTErrorCode, hasFound: Bool) -> GATTError? {
        if error == .attributeNotFound { return nil }
        // The server may grant the request after a pairing.
        if !error.isOfSecurity, error != .databaseOutOfSync { record(.refused(error), at: start) }
        return hasFound && Self.endings.contains(error) ? nil : .refused(error)
    }

    /// The answer cannot be read. Nil: the items found so far can be used.
    mutating func unreadable(hasFound: Bool) -> GATTError? {
        record(.unreadableAnswer, at: start)
        return hasFound ? nil : .malformed
    }

    /// Errors of servers in place of Attribute Not Found. All other errors may pass: the client asks again.
    private static let endings: Set<ATTErrorCode> = [
        .invalidHandle, .invalidPDU, .requestNotSupported, .invalidOffset, .unsupportedGroupType, .unlikelyError,
    ]
}
