// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI
import Testing

struct CommandCreditMachineTests {
    private let start = MonotonicTime(nanoseconds: 1_000)

    @Test func `one command is in flight at a time, and credits are honoured`() {
        var machine = CommandCreditMachine<Int>()
        let accepted = [
            machine.submit(Reset(), for: 1), machine.submit(ReadBDADDR(), for: 2),
            machine.submit(LEReadBufferSize(), for: 3),
        ]
        #expect(accepted == [true, true, true])
        #expect(machine.next(at: start)?.opcode == .reset)
        #expect(machine.next(at: start) == nil)
        #expect(machine.answered(.reset, credits: 0) == 1)
        #expect(machine.next(at: start) == nil)
        #expect(machine.answered(.none, credits: 2) == nil)
        #expect(machine.next(at: start)?.opcode == .readBDADDR)
        #expect(machine.next(at: start) == nil)
        #expect(machine.answered(.leReadBufferSize, credits: 1) == nil)
        #expect(machine.answered(.readBDADDR, credits: 1) == 2)
        #expect(machine.next(at: start)?.opcode == .leReadBufferSize)
    }

    @Test func `an answer that does not come in two seconds is a fault, ten for Reset`() {
        var machine = CommandCreditMachine<Int>()
        _ = machine.submit(ReadBDADDR(), for: 7)
        _ = machine.next(at: start)
        #expect(machine.deadline == start + .seconds(2))
        #expect(machine.expire(at: start + .milliseconds(1999)) == nil)
        #expect(machine.expire(at: start + .seconds(2)) == .readBDADDR)
        #expect(machine.deadline == nil)
        machine = CommandCreditMachine<Int>()
        _ = machine.submit(Reset(), for: 7)
        _ = machine.next(at: start)
        #expect(machine.deadline == start + .seconds(10))
    }

    @Test func `the queue is bounded`() {
        var machine = CommandCreditMachine<Int>()
        let accepted = (0...CommandCreditMachine<Int>.capacity).map { _ in machine.submit(Reset(), for: 7) }
        #expect(accepted.dropLast().allSatisfy { $0 } && accepted.last == false)
    }

    @Test func `a controller that never lets the next command be sent is noticed`() {
        var machine = CommandCreditMachine<Int>()
        #expect(machine.answered(.none, credits: 0) == nil)
        #expect(machine.submit(Reset(), for: 7) == true)
        #expect(machine.next(at: .zero) == nil)
        #expect(machine.deadline == MonotonicTime.zero + CommandCreditMachine<Int>.timeout)
        // Within the time, the machine would have sent the packet.
        var other = machine
        #expect(other.answered(.none, credits: 1) == nil)
        #expect(other.next(at: .zero)?.opcode == .reset)
        #expect(machine.expire(at: .zero + CommandCreditMachine<Int>.timeout) == .reset)
        #expect(machine.deadline == nil)
    }

    @Test func `a command that is taken back is not waited for`() {
        var machine = CommandCreditMachine<Int>()
        #expect(machine.answered(.none, credits: 0) == nil)
        #expect(machine.submit(ReadRSSI(handle: 7), for: 7) == true)
        #expect(machine.next(at: .zero) == nil)
        #expect(machine.withdraw(handle: 7) == [7])
        #expect(machine.purposes.isEmpty)
        #expect(machine.expire(at: .zero + CommandCreditMachine<Int>.timeout) == nil)
        #expect(machine.deadline == nil)
    }
}

extension CommandCreditMachineTests {
    @Test func `what is in flight when its link ends keeps its purpose, and what waits gives it back`() {
        var machine = CommandCreditMachine<String>()
        for (handle, purpose) in [(UInt16(1), "a"), (1, "b"), (2, "c")] {
            #expect(machine.submit(ReadRSSI(handle: handle), for: purpose) == true)
        }
        #expect(machine.next(at: start)?.opcode == .readRSSI)
        #expect(machine.withdraw(handle: 1) == ["b"])
        #expect(machine.purposes == ["a", "c"])
        #expect(machine.answered(.readRSSI, credits: 1) == "a")
        #expect(machine.answered(.readRSSI, credits: 1) == nil, "nobody has asked twice")
        #expect(machine.next(at: start) != nil)
        #expect(machine.answered(.readRSSI, credits: 1) == "c")
    }

    @Test func `a command that is given up lets the next one be sent`() {
        var machine = CommandCreditMachine<Int>()
        #expect(machine.submit(Reset(), for: 1) == true && machine.submit(ReadBDADDR(), for: 2) == true)
        #expect(machine.abandon() == nil)
        #expect(machine.next(at: start)?.opcode == .reset)
        #expect(machine.abandon() == 1 && machine.deadline == nil)
        #expect(machine.next(at: start)?.opcode == .readBDADDR)
    }

    @Test func `an address is no link's number`() {
        var machine = CommandCreditMachine<Int>()
        let address = DeviceAddress(kind: .random, value: 0xC000_0000_0040)
        #expect(machine.submit(LESetRandomAddress(address: address), for: 1) == true)
        #expect(machine.withdraw(handle: 0x40).isEmpty && machine.purposes == [1])
    }

    @Test func `after a fault it is still known what was asked for`() {
        var machine = CommandCreditMachine<String>()
        for purpose in ["a", "b"] { #expect(machine.submit(ReadBDADDR(), for: purpose) == true) }
        #expect(machine.next(at: start) != nil)
        #expect(machine.expire(at: start + .seconds(2)) == .readBDADDR)
        #expect(machine.purposes == ["a", "b"])
    }
}

struct ACLCreditMachineTests {
    @Test func `a PDU is cut to the controller's packets`() {
        var machine = ACLCreditMachine(packetLength: 27, count: 4)
        machine.connected(0x40)
        #expect(machine.enqueue([UInt8](repeating: 7, count: 60), on: 0x40) == true)
        let packets = [machine.next(at: .zero), machine.next(at: .zero), machine.next(at: .zero)]
        #expect(packets.map { $0?.packet.count } == [32, 32, 11])
        #expect(packets.map { $0?.packet[2] } == [0x00, 0x10, 0x10])
        #expect(packets.map { $0?.endsPDU } == [false, false, true])
        #expect(machine.next(at: .zero) == nil)
    }

    @Test func `links take turns, whatever waits for one of them`() {
        var machine = ACLCreditMachine(packetLength: 27, count: 8)
        for handle: UInt16 in 1...3 { machine.connected(handle) }
        for _ in 0..<5 { #expect(machine.enqueue([1], on: 1) == true) }
        for handle: UInt16 in [2, 3, 3] { #expect(machine.enqueue([2], on: handle) == true) }
        var order: [UInt16] = []
        while let item = machine.next(at: .zero) { order.append(item.handle) }
        // Half of the buffers is the maximum for a link.
        #expect(order == [1, 2, 3, 1, 3, 1, 1])
    }

    @Test func `credits come back by completion and by disconnection, never beyond what was lent`() {
        var machine = ACLCreditMachine(packetLength: 27, count: 2)
        machine.connected(1)
        machine.connected(2)
        for handle: UInt16 in [1, 2, 1, 2, 1, 2] { #expect(machine.enqueue([0], on: handle) == true) }
        #expect(machine.next(at: .zero) != nil)
        #expect(machine.next(at: .zero) != nil)
        #expect(machine.next(at: .zero) == nil)
        machine.completed(5, on: 1, at: .zero)
        #expect(machine.unexpectedCompletions == 4)
        #expect(machine.next(at: .zero)?.handle == 1)
        #expect(machine.next(at: .zero) == nil)
        machine.disconnected(2)
        #expect(machine.next(at: .zero)?.handle == 1)
        #expect(machine.next(at: .zero) == nil)
        machine.completed(1, on: 9, at: .zero)
        #expect(machine.unexpectedCompletions == 5)
    }

    @Test func `a link whose packets never complete leaves buffers to the others, and is named after a while`() {
        var machine = ACLCreditMachine(packetLength: 27, count: 8)
        machine.connected(1)
        machine.connected(2)
        for _ in 0..<60 { #expect(machine.enqueue([1], on: 1) == true && machine.enqueue([2], on: 2) == true) }
        var sent = 0
        for second in 0..<29 {
            let now = MonotonicTime.zero + .seconds(second)
            while let item = machine.next(at: now) {
                guard item.handle == 2 else { continue }
                sent += 1
                machine.completed(1, on: 2, at: now)
            }
        }
        #expect(sent == 60)
        #expect(machine.takeStalled(at: .zero + .seconds(29)) == [])
        #expect(machine.deadline == .zero + .seconds(30))
        #expect(machine.takeStalled(at: .zero + .seconds(30)) == [1])
        #expect(machine.deadline == .zero + .seconds(60))
        machine.disconnected(1)
        #expect(machine.deadline == nil)
    }

    @Test func `each completed packet gives the link its time anew`() {
        var machine = ACLCreditMachine(packetLength: 27, count: 8)
        machine.connected(1)
        #expect(machine.enqueue([1], on: 1) == true && machine.enqueue([2], on: 1) == true)
        #expect(machine.next(at: .zero) != nil && machine.next(at: .zero) != nil)
        machine.completed(1, on: 1, at: .zero + .seconds(20))
        #expect(machine.takeStalled(at: .zero + .seconds(49)) == [] && machine.deadline == .zero + .seconds(50))
        #expect(machine.takeStalled(at: .zero + .seconds(50)) == [1])
    }

    @Test func `a link's queue is bounded, and an unknown link has none`() {
        var machine = ACLCreditMachine(packetLength: 27, count: 1)
        machine.connected(1)
        for _ in 0..<ACLCreditMachine.queueCapacity { #expect(machine.enqueue([0], on: 1) == true) }
        #expect(machine.enqueue([0], on: 1) == false)
        #expect(machine.enqueue([0], on: 2) == false)
    }
}

struct FramingTests {
    @Test(arguments: ["01030c00", "02400003000a0b0c", "0405040040" + "0013", "050010020001ff", "05001002c001ff"])
    func `a packet is found when all of it is there, and not before`(text: String) throws {
        let whole = try #require([UInt8](hexadecimal: text))
        for count in 0..<whole.count {
            guard case .needs = H4Framer.next(Array(whole[..<count]).span.bytes) else {
                Issue.record("\(count) octets were taken for a packet")
                continue
            }
        }
        let more = whole + [4]
        guard case .packet(_, let length) = H4Framer.next(more.span.bytes) else {
            Issue.record("no packet")
            return
        }
        #expect(length == whole.count)
    }

    @Test func `an octet that is no packet type is told`() {
        let octets: [UInt8] = [0x77, 1]
        #expect(H4Framer.next(octets.span.bytes) == .unknownType(0x77))
    }

    @Test func `the stream makes sense again at the answer to Reset`() {
        let answer: [UInt8] = [4, 0x0E, 4, 1, 0x03, 0x0C, 0]
        let stream: [UInt8] = [9, 9, 4, 0x0E, 4] + answer + [4]
        let found = H4Resynchronizer.search(stream.span.bytes)
        #expect(found.skip == 5 && found.found)
        let none: [UInt8] = [9, 9, 4, 0x0E, 4, 1, 3, 3]
        let lost = H4Resynchronizer.search(none.span.bytes)
        #expect(lost.skip == 2 && !lost.found)
    }

    @Test func `no other answer makes sense of the stream`() {
        let answer: [UInt8] = [4, 0x0E, 4, 1, 0x03, 0x0C, 0]
        var others: [[UInt8]] = [
            [4, 0x0E, 4, 1, 0x03, 0x0C, 0x0C],  // Reset, refused
            [4, 0x0E, 5, 1, 0x03, 0x0C, 0, 0],  // longer than the answer to Reset
            [4, 0x0F, 4, 0, 1, 0x03, 0x0C],  // its status
            [1, 0x03, 0x0C, 0],  // the command itself
            [2, 0x0E, 4, 1, 0x03, 0x0C, 0],
        ]
        for opcode in [0x0C01, 0x0C02, 0x0403, 0x0C83, 0x2005, 0x0000, 0xFFFF] as [UInt16] {
            others.append([4, 0x0E, 4, 1, UInt8(opcode & 0xFF), UInt8(opcode >> 8), 0])
        }
        for other in others {
            #expect(!H4Resynchronizer.search(other.span.bytes).found, "\(other)")
            let (skip, found) = H4Resynchronizer.search((other + answer).span.bytes)
            #expect(found && skip == other.count, "\(other)")
        }
        // The unread octet has the number of commands that the host may send from now on.
        for credits in [0, 1, 255] as [UInt8] {
            let octets: [UInt8] = [4, 0x0E, 4, credits, 0x03, 0x0C, 0]
            let (skip, found) = H4Resynchronizer.search(octets.span.bytes)
            #expect(found && skip == 0)
        }
    }
}
