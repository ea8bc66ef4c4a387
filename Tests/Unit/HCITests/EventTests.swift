// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI
import Testing

struct EventTests {
    static let valid = [
        "05 04 00 4000 13",  // Disconnection Complete
        "08 04 00 4000 01",  // Encryption Change
        "0e 04 01 030c 00",  // Command Complete
        "0f 04 00 01 0d20",  // Command Status
        "10 01 42",  // Hardware Error
        "13 05 01 4000 0300",  // Number Of Completed Packets
        "1a 01 01",  // Data Buffer Overflow
        "3e 13 01 00 4000 00 01 5544332211c0 1800 0000 f401 00",  // LE Connection Complete
        "3e 1f 0a 00 4000 00 01 5544332211c0 000000000000 000000000000 1800 0000 f401 00",  // enhanced
        "3e 0a 03 00 4000 1800 0000 f401",  // LE Connection Update Complete
        "3e 0c 04 00 4000 2100000000000000",  // LE Read Remote Features Complete
        "3e 0d 05 4000 0000000000000000 0000",  // LE Long Term Key Request
        "3e 0b 06 4000 0600 0c00 0000 f401",  // LE Remote Connection Parameter Request
        "3e 0b 07 4000 fb00 4808 fb00 4808",  // LE Data Length Change
        "3e 06 0c 00 4000 02 02",  // LE PHY Update Complete
        "3e 06 12 3c 02 0000 07",  // LE Advertising Set Terminated
    ]

    @Test func `events are read field by field`() throws {
        #expect(try decode(0) == .disconnectionComplete(status: .success, handle: 0x40, reason: .remoteUserTerminated))
        #expect(try decode(2) == .commandComplete(credits: 1, opcode: .reset, parameters: [0]))
        #expect(try decode(3) == .commandStatus(status: .success, credits: 1, opcode: .leCreateConnection))
        #expect(try decode(5) == .numberOfCompletedPackets([CompletedPackets(handle: 0x40, count: 3)]))
        for row in [7, 8] {
            guard case .connectionComplete(let completion) = try decode(row) else {
                Issue.record("not a connection")
                return
            }
            #expect(completion.peer == DeviceAddress(kind: .random, value: 0xC0_11_22_33_44_55))
            #expect(completion.isCentral && completion.interval == 24 && completion.timeout == 500)
            #expect(completion.localPrivateAddress == nil && completion.peerPrivateAddress == nil)
        }
        guard case .advertisingSetTerminated(let termination) = try decode(15) else {
            Issue.record("not the end of a set")
            return
        }
        #expect(termination.status == .advertisingTimeout && termination.set == 2)
        #expect(
            try decode(13) == .dataLengthChange(handle: 0x40, maximumTransmitOctets: 251, maximumReceiveOctets: 251))
    }

    @Test(arguments: [(UInt8(2), DeviceAddress.Kind.public), (3, .random)])
    func `a resolved peer comes with both private addresses`(type: UInt8, kind: DeviceAddress.Kind) throws {
        let text = "3e 1f 0a 00 4000 01 0\(type) 5544332211c0 060504030240 665544332241 1800 0000 f401 00"
        guard
            case .connectionComplete(let completion) = try HCIEvent(
                decoding: try #require([UInt8](hexadecimal: text))[...])
        else {
            Issue.record("not a connection")
            return
        }
        #expect(completion.peer == DeviceAddress(kind: kind, value: 0xC0_11_22_33_44_55))
        #expect(completion.localPrivateAddress == DeviceAddress(kind: .random, value: 0x40_02_03_04_05_06))
        #expect(completion.peerPrivateAddress == DeviceAddress(kind: .random, value: 0x41_22_33_44_55_66))
    }

    private func decode(_ row: Int) throws -> HCIEvent {
        try HCIEvent(decoding: ([UInt8](hexadecimal: Self.valid[row]) ?? [])[...])
    }

    @Test(arguments: valid)
    func `an event cut anywhere, with its length made to fit, is an error and never a trap`(text: String) throws {
        let whole = try #require([UInt8](hexadecimal: text))
        _ = try HCIEvent(decoding: whole[...])
        for count in 0..<whole.count {
            #expect(throws: DecodeError.self) { try HCIEvent(decoding: whole[..<count]) }
            guard count >= 2 else { continue }
            var fitted = Array(whole[..<count])
            fitted[1] = UInt8(count - 2)
            // Command Complete may carry any number of parameters.
            if fitted[0] == 0x0E, count >= 5 { continue }
            #expect(throws: DecodeError.self) { try HCIEvent(decoding: fitted[...]) }
        }
    }

    @Test func `octets that later versions append are ignored, and unknown events pass through`() throws {
        #expect(
            try HCIEvent(decoding: [0x05, 5, 0, 0x40, 0, 0x13, 0xAA])
                == .disconnectionComplete(status: .success, handle: 0x40, reason: .remoteUserTerminated))
        #expect(
            try HCIEvent(decoding: [0xFF, 1, 7]) == .unknown(code: HCIEventCode(rawValue: 0xFF), parameters: [7]))
        #expect(
            try HCIEvent(decoding: [0x3E, 2, 0x7F, 9])
                == .unknownLE(subevent: LESubeventCode(rawValue: 0x7F), parameters: [9]))
    }

    @Test func `random octets never trap`() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<20_000 {
            let octets = (0..<Int.random(in: 0...40)).map { _ in UInt8.random(in: 0...255, using: &generator) }
            _ = try? HCIEvent(decoding: octets[...])
            _ = H4Framer.next(octets.span.bytes)
            try? AdvertisingReport.forEach(in: octets.span.bytes) { _ in }
        }
    }
}
