// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import FuzzSeeds
import HCI

/// False events of a controller, by family: each alone, and all to a busy host.
struct HCIEventTarget: FuzzTarget {
    static let name = "hci-events"

    static var seeds: [[UInt8]] {
        let host = PreparedHost.busy
        let peer: [UInt8] = [1, 0, 0, 0, 0, 0xC0]
        var bodies: [[UInt8]] = []
        for link in [host.centralLink, host.peripheralLink] {
            let handle = [UInt8(truncatingIfNeeded: link), UInt8(link >> 8)]
            let timing: [UInt8] = [24, 0, 0, 0, 0xF4, 1]
            let rows: [(Int, [UInt8])] = [
                (0, [0] + handle + [0x13]), (1, [0] + handle + [1]), (3, [1, 0x03, 0x0C, 0]), (4, [0, 1, 0x06, 4]),
                (5, [9]), (6, [1] + handle + [1, 0]), (7, [1]), (8, [0] + handle), (9, [0] + handle + [1, 16]),
                (10, [0] + handle + [0, 1] + peer + timing + [0]), (12, [0] + handle + timing),
                (13, [0] + handle + [0xFF, 0, 0, 0, 0, 0, 0, 0]), (14, handle + [UInt8](repeating: 0, count: 10)),
                (15, handle + [6, 0, 12, 0, 0, 0, 100, 0]), (16, handle + [251, 0, 72, 8, 251, 0, 72, 8]),
                (17, [0] + handle + [1, 1] + peer + [UInt8](repeating: 0, count: 12) + timing + [0]),
                (18, [0] + handle + [2, 2]), (20, []), (21, [0, 0] + handle + [1]), (22, handle + [1]),
                (23, [0x7F, 1]),
                (11, [1, 0, 1] + peer + [3, 2, 1, 6, 0xC4]),
                (19, [1, 0x13, 0, 1] + peer + [1, 0, 0xFF, 0x7F, 0xC4, 0, 0] + [UInt8](repeating: 0, count: 7) + [0]),
            ]
            for (family, body) in rows { bodies.append([0, UInt8(family), UInt8(body.count)] + body) }
        }
        let answers = Self.decoders.indices.map { [1, UInt8($0), 0] + [UInt8](repeating: 1, count: 64) }
        return bodies + [Array(bodies.joined()), Array(bodies.reversed().joined())] + answers
    }

    mutating func run(_ octets: [UInt8]) {
        var input = FuzzInput(octets)
        if input.flag() {
            let decode = Self.decoders[input.pick(Self.decoders.count)]
            decode(input.rest()[...])
            return
        }
        var host = PreparedHost.busy
        var isFirst = true
        while !input.isAtEnd {
            // Between events: time passes, commands are refused or not answered at all.
            if !isFirst {
                let between = input.u8()
                host.status = between & 1 == 0 ? 0 : 0x0C
                host.isMute = between & 2 != 0
                if between & 4 != 0 { host.advance(by: .milliseconds(Int(between) << 4)) }
            }
            isFirst = false
            let family = input.pick(FuzzFormats.eventFamilies)
            let parameters = (family.subevent.map { [$0] } ?? []) + input.counted()
            check(code: family.code, parameters)
            let before = host.host.counters
            host.receive(event: family.code, parameters)
            let after = host.host.counters
            promise(after.eventsReceived == before.eventsReceived + 1, "an event is counted twice, or never")
            promise(after.malformedPackets <= before.malformedPackets + 1, "an event is malformed twice")
            host.settle()
            if host.host.state == .resetting, !host.host.isStarting {
                host.host.start(at: host.now)
                host.settle()
            }
        }
        host.check()
    }

    /// The decoder alone: handles have 12 bits, and the decoder never reads a cut event.
    private func check(code: UInt8, _ parameters: [UInt8]) {
        let octets = [code, UInt8(truncatingIfNeeded: parameters.count)] + parameters
        guard let event = try? HCIEvent(decoding: octets[...]) else { return }
        promise((try? HCIEvent(decoding: octets.dropLast())) == nil, "an event is read though its end is missing")
        promise((try? HCIEvent(decoding: octets + [0])) == nil, "an event is read with an octet too many")
        switch event {
        case .disconnectionComplete(_, let handle, _), .encryptionChange(_, let handle, _, _),
            .encryptionKeyRefreshComplete(_, let handle), .readRemoteFeaturesComplete(_, let handle, _),
            .longTermKeyRequest(let handle, _, _), .dataLengthChange(let handle, _, _),
            .phyUpdateComplete(_, let handle, _, _):
            promise(handle <= 0x0FFF, "handle \(handle)")
        case .connectionComplete(let completion): promise(completion.handle <= 0x0FFF, "handle \(completion.handle)")
        case .numberOfCompletedPackets(let list): promise(list.count <= 255, "\(list.count) handles")
        default: break
        }
    }

    // MARK: Answers to commands

    private static let decoders: [@Sendable (ArraySlice<UInt8>) -> Void] = [
        decoder(ReadLocalVersionInformation.self), decoder(ReadLocalSupportedCommands.self),
        decoder(ReadLocalSupportedFeatures.self), decoder(ReadBufferSize.self), decoder(ReadBDADDR.self),
        decoder(LEReadBufferSize.self), decoder(LEReadLocalSupportedFeatures.self),
        decoder(LEReadSupportedStates.self), decoder(LEReadFilterAcceptListSize.self), decoder(ReadRSSI.self),
        decoder(LEReadPHY.self), decoder(LEReadMaximumAdvertisingDataLength.self),
        decoder(LEReadNumberOfSupportedAdvertisingSets.self), decoder(Reset.self),
    ]

    /// Later versions may append octets: the decoded fields do not depend on them.
    private static func decoder<Command: HCICommand>(_: Command.Type) -> @Sendable (ArraySlice<UInt8>) -> Void {
        { octets in
            guard let result = try? Command.decodeReturn(octets) else { return }
            guard case .success? = try? Command.decodeReturn(octets + [0xFF]) else {
                if case .success = result { fatalError("broken promise: an octet more makes an answer unreadable") }
                return
            }
        }
    }
}
