// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore
import BluetoothHost
import FuzzSeeds
import GATT
import HCI
import SMP

/// Writes down the input of our host on one bench, and its clients' requests, in the format of each fuzz target for a
/// part of the host: `make fuzz-seeds`.
struct SeedRecorder {
    /// The state of our host at a step.
    struct Moment {
        let now: MonotonicTime
        let security: LinkSecurity
    }

    private var stream: SeedTape
    private var events: SeedTape
    private var advertisements: SeedTape
    private var fragments: SeedTape
    private var frames: SeedTape
    private var signalling: SeedTape
    private var channels: SeedTape
    private var server: SeedTape
    private var client: SeedTape
    private var host: SeedTape
    var pairings: PairingRecorder
    private var last = MonotonicTime.zero
    private var lastSecurity: UInt8 = 0
    /// Our host's role on the newest link.
    private var role = LinkRole.central

    /// Nil unless seeds are wanted.
    init?() {
        guard let folder = SeedFolder.current else { return nil }
        stream = SeedTape("h4", in: folder)
        events = SeedTape("hci-events", in: folder)
        advertisements = SeedTape("advertising-data", in: folder)
        fragments = SeedTape("l2cap", in: folder)
        frames = SeedTape("l2cap", in: folder)
        signalling = SeedTape("signalling", in: folder)
        channels = SeedTape("channels", in: folder)
        server = SeedTape("att-server", in: folder)
        client = SeedTape("att-client", in: folder)
        host = SeedTape("host", limit: FuzzFormats.Limit.host, in: folder)
        pairings = PairingRecorder(folder)
    }

    mutating func finish() {
        stream.finish()
        events.finish()
        advertisements.finish()
        fragments.finish()
        frames.finish()
        signalling.finish()
        channels.finish()
        server.finish()
        client.finish()
        host.finish()
        pairings.finish()
    }

    /// Notes our host's events of links and pairings.
    mutating func record(_ event: HostEvent, _ person: Person) {
        switch event {
        case .linkUp(_, _, let role): self.role = role
        case .pairing(_, let peer, _, .began): pairings.began(as: role, with: peer, entering: person.enters ?? 0)
        default: break
        }
    }

    // MARK: Peers

    /// A frame of a peer.
    mutating func frame(_ payload: [UInt8], on channel: UInt16, _ moment: Moment) {
        guard payload.count < 256, channel < 256 else { return }
        passTime(to: moment)
        let side: UInt8 = role == .peripheral ? 1 : 0
        host.add(counted(payload, behind: side, UInt8(channel), 27))
        frames.add(counted(payload, behind: side, UInt8(channel), 0xFF), header: [2])
        switch channel {
        case Bench.attributeProtocol: attribute(payload, moment)
        case Bench.signalling:
            signalling.add(counted(payload, behind: 0), header: [signallingHeader(moment)])
        case Bench.securityManager: pairings.received(payload)
        case 0x40...:
            var step = counted(payload, behind: 0)
            // The user takes the received data.
            step.add(1, 50)
            channels.add(step, header: [1])
        default: break
        }
    }

    /// An ACL packet without a whole frame.
    mutating func fragment(_ octets: [UInt8], isFirst: Bool) {
        guard octets.count < 256 else { return }
        fragments.add(counted(octets, behind: isFirst ? 1 : 0), header: [0])
    }

    private mutating func attribute(_ pdu: [UInt8], _ moment: Moment) {
        guard let opcode = pdu.first.map(ATTOpcode.init(rawValue:)) else { return }
        guard !opcode.isResponseOrUpdate else {
            client.add(counted(pdu, behind: 1), header: Self.clientHeader)
            return
        }
        let bits = Self.bits(of: moment.security)
        if bits != lastSecurity, !server.isAtStart { server.add(FuzzScript(5, bits)) }
        lastSecurity = bits
        var step = counted(pdu, behind: 0)
        // The owner of the attribute answers.
        step.add(2, 12)
        server.add(step, header: [bits])
    }

    // MARK: The controller

    /// An H4 packet. `isTold`: no radio has caused the packet.
    mutating func packet(_ packet: [UInt8], isTold: Bool) {
        stream.add(FuzzScript(packet), header: [7])
        guard packet.count >= 3, packet[0] == 4 else { return }
        let (code, parameters) = (packet[1], Array(packet[3...]))
        if isTold { host.add(counted(parameters, behind: 3, code)) }
        if code == 0x08, parameters.first == 0, parameters.last == 1 { pairings.encrypted() }
        if code == 0x3E { report(parameters) }
        // Answers to commands hardly differ.
        guard isTold || ![0x0E, 0x0F, 0x13].contains(code) else { return }
        let families = FuzzFormats.eventFamilies
        let exact = families.firstIndex { $0.code == code && ($0.subevent == nil || $0.subevent == parameters.first) }
        guard let family = exact, family < 256 else { return }
        let body = families[family].subevent == nil ? parameters : Array(parameters.dropFirst())
        let step = counted(body, behind: UInt8(family))
        events.add(events.isAtStart ? step : FuzzScript([0] + step.octets), header: [0])
    }

    /// An advertising report, legacy or extended.
    private mutating func report(_ parameters: [UInt8]) {
        guard parameters.count > 11, parameters[1] == 1 else { return }
        switch parameters[0] {
        case 0x02: advertisement(Array(parameters.dropFirst(11).dropLast()), behind: 0, parameters[2])
        case 0x0D: advertisement(Array(parameters.dropFirst(26)), behind: 1, parameters[2])
        default: break
        }
    }

    private mutating func advertisement(_ data: [UInt8], behind kind: UInt8, _ properties: UInt8) {
        advertisements.add(counted(data, behind: kind, properties, 1))
    }

    // MARK: Clients

    mutating func request(_ request: GATTRequest) {
        let choices = request.choices
        client.add(
            FuzzScript(
                0, choices.kind, UInt8(truncatingIfNeeded: choices.start), UInt8(truncatingIfNeeded: choices.length),
                UInt8(truncatingIfNeeded: choices.type)), header: Self.clientHeader)
        let handle = UInt8(truncatingIfNeeded: choices.start)
        switch request {
        case .discoverServices: host.add(FuzzScript(5, 2, 0))
        case .read: host.add(FuzzScript(5, 3, handle))
        case .write: host.add(FuzzScript(5, 4, handle))
        case .configure: host.add(FuzzScript(5, 5, handle))
        default: break
        }
    }

    mutating func channelOpening(_ spsm: UInt16, _ moment: Moment) {
        var step = FuzzScript(2)
        step.add(u16: spsm)
        signalling.add(step, header: [signallingHeader(moment)])
        host.add(FuzzScript(5, 11, UInt8(truncatingIfNeeded: spsm)))
    }

    mutating func pairingWanted() { host.add(FuzzScript(5, 20, 0)) }

    // MARK: Choices

    /// MTU of 517, no cache, no bond: the start of our host's client.
    private static let clientHeader: [UInt8] = [3]

    private func signallingHeader(_ moment: Moment) -> UInt8 {
        (role == .peripheral ? 1 : 0) | Self.bits(of: moment.security) & 0x06
    }

    /// In the format of the server's target.
    private static func bits(of security: LinkSecurity) -> UInt8 {
        (security.isEncrypted ? 2 : 0) | (security.isAuthenticated ? 4 : 0) | (security.isSecureConnections ? 8 : 0)
            | (security.keySize == 7 ? 16 : 0) | (security.hasBond ? 32 : 0) | (security.isAuthorized ? 64 : 0)
    }

    private func counted(_ list: [UInt8], behind choices: UInt8...) -> FuzzScript {
        var script = FuzzScript(choices)
        script.add(counted: list)
        return script
    }

    private mutating func passTime(to moment: Moment) {
        let passed = moment.now - last
        last = moment.now
        guard passed >= .milliseconds(64) else { return }
        host.add(FuzzScript(4, UInt8(min(passed / .milliseconds(64), 255))))
        let seconds = UInt8(min(passed / .seconds(1), 31))
        guard seconds > 0 else { return }
        if !server.isAtStart { server.add(FuzzScript(4, seconds)) }
        if !client.isAtStart { client.add(FuzzScript(3, seconds)) }
        if !signalling.isAtStart { signalling.add(FuzzScript(4, seconds)) }
    }
}

extension GATTRequest {
    /// The octets from which the client's target makes a request.
    fileprivate var choices: (kind: UInt8, start: UInt16, length: UInt16, type: UInt64) {
        func choices(_ kind: UInt8, _ range: ATTPDU.HandleRange, _ type: BluetoothUUID? = nil)
            -> (UInt8, UInt16, UInt16, UInt64)
        {
            (kind, range.start, range.end - range.start, UInt64(type?.short ?? 0))
        }
        return switch self {
        case .discoverServices(nil): (0, 0, 0, 0)
        case .discoverServices(let uuids?): (1, 0, 0, UInt64(uuids.last?.short ?? 0))
        case .discoverIncludedServices(let range): choices(2, range)
        case .discoverCharacteristics(let range, let uuids): choices(uuids == nil ? 4 : 3, range, uuids?.first)
        case .discoverDescriptors(let range): choices(5, range)
        case .read(let handle): (6, handle, 0, 0)
        case .readByType(let uuid): (7, 0, 0, UInt64(uuid.short ?? 0))
        case .readMultiple(let handles): (8, handles.first ?? 0, UInt16(truncatingIfNeeded: handles.count), 0)
        case .readMultipleVariable(let handles): (9, handles.first ?? 0, UInt16(truncatingIfNeeded: handles.count), 0)
        case .readAll(let uuid, let range): choices(10, range, uuid)
        case .write(let handle, let value): (11, handle, UInt16(truncatingIfNeeded: value.count / 2), 0)
        case .reliableWrite(let items):
            (12, items.first?.handle ?? 0, UInt16(truncatingIfNeeded: (items.first?.value.count ?? 0) / 2), 0)
        case .watchServices: (13, 0, 0, 0)
        case .configure(let value, let end, _): (14, value, end - value, 0)
        }
    }
}
