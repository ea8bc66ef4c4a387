// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Testing

@testable import Provisioning

/// The vectors of Improv's specification and of its clients.
enum ImprovVector {
    static let join = octets("011e0c4d79576972656c6573734150106d7973656375726570617373776f7264c0")
    static let identify = octets("020002")
    static let information = octets("030003")
    static let scan = octets("040004")
    static let hostname = octets("050005")
    static let resultWithAddress = octets("011110687474703a2f2f67772e6c6f63616c2fc0")

    static func octets(_ digits: String) -> [UInt8] {
        var octets: [UInt8] = []
        var rest = Substring(digits)
        while let octet = UInt8(rest.prefix(2), radix: 16) {
            octets.append(octet)
            rest = rest.dropFirst(2)
        }
        return octets
    }
}

@Suite("Improv's packets") struct ImprovPacketTests {
    @Test("the specification's packets are read octet for octet") func vectors() throws {
        func read(_ octets: [UInt8]) throws -> ImprovRequest { try ImprovRequest(decoding: octets[...]) }
        #expect(try read(ImprovVector.join) == .join(ssid: "MyWirelessAP", password: "mysecurepassword"))
        #expect(try read(ImprovVector.identify) == .identify)
        #expect(try read(ImprovVector.information) == .deviceInformation)
        #expect(try read(ImprovVector.scan) == .scan)
        #expect(try read(ImprovVector.hostname) == .hostname(nil))
        for packet in [ImprovVector.join, ImprovVector.identify, ImprovVector.scan] {
            #expect(Improv.packet(packet[0], Array(packet.dropFirst(2).dropLast())) == packet)
        }
    }

    @Test("a result is written octet for octet") func result() {
        #expect(Improv.result(.wirelessSettings, ["http://gw.local/"]) == ImprovVector.resultWithAddress)
        #expect(Improv.result(.wirelessSettings, []) == [1, 0, 1])
        #expect(Improv.result(.scan, ["Attic", "-60", "WPA2"]).count == 3 + 6 + 4 + 5)
        // A string that does not fit is left out whole.
        #expect(Improv.result(.scan, Array(repeating: String(repeating: "x", count: 99), count: 3)).count == 3 + 200)
    }

    @Test("the UUIDs and the service data are the specification's") func constants() {
        #expect("\(Improv.service)".lowercased() == "00467768-6228-2272-4663-277478268000")
        let ends = Improv.Item.allCases.map { "\($0.uuid)".suffix(4) }
        #expect(ends == ["8001", "8002", "8003", "8004", "8005"])
        #expect(Improv.advertisement(.authorized, [.identify, .scan]) == [2, 5, 0, 0, 0, 0])
    }

    @Test(
        "an invalid packet is refused with its code",
        arguments: [
            ("0700", Improv.ErrorCode.unknownCommand), ("0000", .unknownCommand), ("020100", .invalidPacket),
            ("0100", .invalidPacket), ("01020100", .invalidPacket), ("01020000", .invalidPacket),
            ("0103014102", .invalidPacket), ("010401ff0100", .invalidPacket), ("01050141014100", .invalidPacket),
            ("0503022d61", .badHostname), ("050461206263", .badHostname), ("060101", .invalidPacket),
        ])
    func malformed(digits: String, code: Improv.ErrorCode) {
        let packet = ImprovVector.octets(digits)
        let whole = packet + [Improv.checksum(packet[...])]
        #expect(throws: ImprovFailure(code)) { try ImprovRequest(decoding: whole[...]) }
    }

    @Test("a name is accepted with and without its own length in front") func names() throws {
        let plain = Improv.packet(6, Array("Attic".utf8))
        let counted = Improv.packet(6, [5] + Array("Attic".utf8))
        for packet in [plain, counted] {
            #expect(try ImprovRequest(decoding: packet[...]) == .deviceName("Attic"))
        }
        #expect(try ImprovRequest(decoding: [5, 4, 3, 97, 45, 98, 0][...]) == .hostname("a-b"))
    }
}

@Suite("The Improv machine") struct ImprovMachineTests {
    private var machine = ImprovMachine(capabilities: [.identify, .deviceInformation, .scan])
    private let start = MonotonicTime.zero
    private let instant = ContinuousClock.now
    private let wanted = ImprovRequest.join(ssid: "MyWirelessAP", password: "mysecurepassword")

    private func at(_ seconds: Double) -> MonotonicTime { start + .seconds(seconds) }

    private func window(_ opener: WindowState.Opener?, end: Double = 600) -> WindowState {
        WindowState(opener: opener, end: opener == .unprovisioned ? nil : instant + .seconds(end))
    }

    /// The button was pressed at the beginning.
    private func authorized() -> ImprovMachine {
        var machine = machine
        #expect(machine.windowChanged(window(.button), at: start) == [.state(.authorized)])
        return machine
    }

    /// A machine that has been joining a network since second 1, for client 1.
    private func joining() -> ImprovMachine {
        var machine = authorized()
        let effects = machine.received(ImprovVector.join, from: 1, at: at(1))
        #expect(effects == [.state(.provisioning), .perform(wanted, number: 1)])
        return machine
    }

    @Test("a command comes in pieces of any size", arguments: 1...20) func pieces(size: Int) {
        var machine = authorized()
        var effects: [ImprovMachine.Effect] = []
        var rest = ImprovVector.join[...]
        while !rest.isEmpty {
            #expect(effects.isEmpty)
            effects = machine.received(Array(rest.prefix(size)), from: 1, at: at(1))
            rest = rest.dropFirst(size)
        }
        #expect(effects == [.state(.provisioning), .perform(wanted, number: 1)])
        #expect(machine.assembled == 0)
    }

    @Test("the pieces of two clients are not mixed") func twoClients() {
        var machine = authorized()
        #expect(machine.received([4], from: 1, at: at(1)).isEmpty)
        #expect(machine.received([3, 0], from: 2, at: at(1)).isEmpty)
        #expect(machine.received([0, 4], from: 1, at: at(1)) == [.perform(.scan, number: 1)])
        #expect(machine.finished(1, .done([]), at: at(2)) == [.result([4, 0, 4], to: 1)])
        #expect(machine.received([3], from: 2, at: at(2)) == [.perform(.deviceInformation, number: 2)])
    }

    @Test("pieces that stay incomplete are dropped and reported") func idle() {
        var machine = authorized()
        #expect(machine.received(Array(ImprovVector.join.prefix(9)), from: 1, at: at(1)).isEmpty)
        #expect(machine.deadline == at(6))
        #expect(machine.expire(at: at(5.9)).isEmpty)
        #expect(machine.expire(at: at(6)) == [.error(.invalidPacket, to: 1)])
        #expect(machine.assembled == 0)
        #expect(machine.received(ImprovVector.identify, from: 1, at: at(7)) == [.error(.none, to: 1), .identify])
    }

    @Test("a forbidden packet is refused, and leaves nothing behind") func refused() {
        var machine = authorized()
        var wrong = ImprovVector.join
        wrong[wrong.count - 1] ^= 1
        #expect(machine.received(wrong, from: 1, at: at(1)) == [.error(.invalidPacket, to: 1)])
        #expect(machine.received([2, 0, 2, 2], from: 1, at: at(1)) == [.error(.invalidPacket, to: 1)])
        #expect(
            machine.received([UInt8](repeating: 0, count: 259), from: 1, at: at(1)) == [.error(.invalidPacket, to: 1)])
        #expect(machine.received([9, 0, 9], from: 1, at: at(1)) == [.error(.unknownCommand, to: 1)])
        // Without the capability the command does not exist.
        #expect(machine.received(ImprovVector.hostname, from: 1, at: at(1)) == [.error(.unknownCommand, to: 1)])
        for client in 1...8 as ClosedRange<UInt64> { #expect(machine.received([1], from: client, at: at(1)).isEmpty) }
        #expect(machine.received([1], from: 9, at: at(1)) == [.error(.invalidPacket, to: 9)])
        #expect(machine.assembled == 8)
    }

    @Test("without consent nothing is joined, scanned or named") func noConsent() {
        for opener in [WindowState.Opener.unprovisioned, .owner] {
            var machine = machine
            #expect(machine.windowChanged(window(opener), at: start).isEmpty)
            #expect(machine.advertisedState == .authorizationRequired)
            for packet in [ImprovVector.join, ImprovVector.scan, Improv.packet(6, [])] {
                #expect(machine.received(packet, from: 1, at: at(1)) == [.error(.notAuthorized, to: 1)])
            }
            #expect(machine.received(ImprovVector.identify, from: 1, at: at(1)) == [.error(.none, to: 1), .identify])
            #expect(
                machine.received(ImprovVector.information, from: 1, at: at(1))
                    == [.perform(.deviceInformation, number: 1)])
            #expect(machine.windowChanged(window(.command), at: at(2)) == [.state(.authorized)])
        }
    }

    @Test("outside the window every command is refused, and nothing is advertised") func closed() {
        var machine = authorized()
        #expect(machine.windowChanged(window(nil), at: at(1)) == [.state(.authorizationRequired)])
        #expect(machine.advertisedState == nil)
        for packet in [ImprovVector.join, ImprovVector.scan, ImprovVector.identify, ImprovVector.information] {
            #expect(machine.received(packet, from: 1, at: at(2)) == [.error(.notAuthorized, to: 1)])
        }
        #expect(machine.deadline == nil)
    }

    @Test("the authorization lapses after a minute, and writes and failures start the minute anew") func lapses() {
        var machine = authorized()
        #expect(machine.deadline == at(60))
        #expect(machine.received(ImprovVector.identify, from: 1, at: at(50)) == [.identify])
        #expect(machine.deadline == at(110))
        // The window says something else than a new consent.
        var told = window(.button)
        told.failures = 2
        #expect(machine.windowChanged(told, at: at(100)).isEmpty)
        #expect(machine.deadline == at(110))
        #expect(machine.expire(at: at(110)) == [.state(.authorizationRequired)])
        #expect(machine.received(ImprovVector.join, from: 1, at: at(111)) == [.error(.notAuthorized, to: 1)])
        // The button again.
        #expect(machine.windowChanged(window(.button, end: 700), at: at(112)) == [.state(.authorized)])
        #expect(
            machine.received(ImprovVector.join, from: 1, at: at(113))
                == [.error(.none, to: 1), .state(.provisioning), .perform(wanted, number: 1)])
        #expect(
            machine.finished(1, .failed(.unableToConnect), at: at(150))
                == [.error(.unableToConnect, to: 1), .state(.authorized)])
        #expect(machine.deadline == at(210))
    }

    @Test("a write after the minute is too late, even before the timer") func lateWrite() {
        var machine = authorized()
        #expect(
            machine.received(ImprovVector.join, from: 1, at: at(61))
                == [.state(.authorizationRequired), .error(.notAuthorized, to: 1)])
    }

    @Test("a joined network is reported, advertised for a while, and then the door is shut") func provisioned() {
        var machine = joining()
        #expect(machine.advertisedState == .provisioning)
        #expect(machine.finished(1, .done([]), at: at(9)) == [.state(.provisioned), .result([1, 0, 1], to: 1)])
        #expect(machine.advertisedState == .provisioned)
        #expect(machine.received(ImprovVector.join, from: 1, at: at(10)) == [.error(.notAuthorized, to: 1)])
        #expect(machine.expire(at: at(39)).isEmpty)
        #expect(machine.advertisedState == nil)
        #expect(machine.windowChanged(window(.button, end: 900), at: at(40)) == [.state(.authorized)])
        #expect(machine.advertisedState == .authorized)
    }

    @Test("each slow command has one answer within 90 s") func takesTooLong() throws {
        var machine = joining()
        #expect(machine.received(ImprovVector.scan, from: 2, at: at(2)) == [.error(.notAuthorized, to: 2)])
        let deadline = try #require(machine.deadline)
        #expect(deadline == at(81))
        #expect(
            machine.expire(at: deadline)
                == [.abandon(number: 1), .error(.unableToConnect, to: 1), .state(.authorized)])
        #expect(machine.finished(1, .done([]), at: at(82)).isEmpty)
        #expect(
            machine.received(ImprovVector.scan, from: 1, at: at(83)) == [
                .error(.none, to: 1), .perform(.scan, number: 2),
            ])
        #expect(machine.received(ImprovVector.scan, from: 2, at: at(83)) == [.error(.unknown, to: 2)])
        #expect(machine.expire(at: at(113)) == [.abandon(number: 2), .error(.unknown, to: 1)])
    }

    @Test("a window that closes meanwhile does not end a join") func closesMeanwhile() {
        var machine = joining()
        #expect(machine.windowChanged(window(nil), at: at(2)).isEmpty)
        #expect(machine.state == .provisioning)
        #expect(
            machine.finished(1, .failed(.unableToConnect), at: at(9))
                == [.error(.unableToConnect, to: 1), .state(.authorizationRequired)])
        machine = joining()
        #expect(machine.windowChanged(window(nil), at: at(2)).isEmpty)
        #expect(machine.finished(1, .done([]), at: at(9)) == [.state(.provisioned), .result([1, 0, 1], to: 1)])
        #expect(machine.advertisedState == nil)
    }
}
