// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import L2CAP
import Testing

struct RecombinationTests {
    private let frame: [UInt8] = [5, 0, 4, 0, 1, 2, 3, 4, 5]

    @Test func `a whole frame is not copied`() {
        var machine = RecombinationMachine(limit: 10)
        #expect(machine.received(frame.span.bytes, isFirst: true) == .whole)
        #expect(machine.frame.isEmpty)
    }

    @Test func `a frame cut anywhere after its header is put together`() {
        for cut in 4..<frame.count {
            var machine = RecombinationMachine(limit: 10)
            let (first, second) = (Array(frame[..<cut]), Array(frame[cut...]))
            #expect(machine.received(first.span.bytes, isFirst: true) == .incomplete)
            #expect(machine.received(second.span.bytes, isFirst: false) == .recombined)
            #expect(machine.frame == frame)
        }
    }

    @Test func `fragments that fit nowhere are dropped, and the next frame is taken`() {
        var machine = RecombinationMachine(limit: 10)
        let (tail, header) = ([UInt8](repeating: 0, count: 3), Array(frame[..<5]))
        #expect(machine.received(tail.span.bytes, isFirst: false) == .dropped(.unexpectedContinuation))
        #expect(machine.received(tail.span.bytes, isFirst: true) == .dropped(.headerCut))
        let long: [UInt8] = [11, 0, 4, 0, 1]
        #expect(machine.received(long.span.bytes, isFirst: true) == .dropped(.tooLong(octets: 11, .attributeProtocol)))
        let over = frame + [6]
        #expect(machine.received(over.span.bytes, isFirst: true) == .dropped(.overrun))
        #expect(machine.received(header.span.bytes, isFirst: true) == .incomplete)
        #expect(machine.received(frame.span.bytes, isFirst: false) == .dropped(.overrun))
        #expect(machine.received(header.span.bytes, isFirst: true) == .incomplete)
        #expect(machine.received(frame.span.bytes, isFirst: true) == .whole)
        #expect(machine.abandoned == 1)
        // A beginning that cannot be taken ends the frame before it, too.
        let rest = Array(frame[5...])
        #expect(machine.received(header.span.bytes, isFirst: true) == .incomplete)
        #expect(machine.received(tail.span.bytes, isFirst: true) == .dropped(.headerCut))
        #expect(machine.received(rest.span.bytes, isFirst: false) == .dropped(.unexpectedContinuation))
        #expect(machine.abandoned == 2)
    }

    @Test func `a frame as long as the limit is taken, and one of an octet more is not`() {
        let (header, rest) = (Array(frame[..<4]), Array(frame[4...]))
        var machine = RecombinationMachine(limit: 5)
        #expect(machine.received(frame.span.bytes, isFirst: true) == .whole)
        #expect(machine.received(header.span.bytes, isFirst: true) == .incomplete)
        #expect(machine.received(rest.span.bytes, isFirst: false) == .recombined)
        machine = RecombinationMachine(limit: 4)
        for fragment in [frame, header] {
            #expect(
                machine.received(fragment.span.bytes, isFirst: true)
                    == .dropped(.tooLong(octets: 5, .attributeProtocol)))
        }
    }
}
