// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore
import BluetoothHost
import GATT
import HCI
import L2CAP
import SMP
import VirtualRadio

/// A host in the middle of its work, made once and copied for each input. It scans, advertises and serves. It is the Central of a sensor's
/// link and the Peripheral of another host's link. Both peers may pair with it.
struct PreparedHost {
    static let client = ClientID(rawValue: 0)
    static let other = ClientID(rawValue: 1)

    var host: HostMachine
    private(set) var now = MonotonicTime.zero
    private let controller: ScriptedController
    /// Connection handles.
    let centralLink: UInt16
    let peripheralLink: UInt16
    private(set) var links: [LinkID] = []
    private(set) var channels: [ChannelID] = []
    private var answersGiven = 0
    /// Whose pairing has asked something last.
    var asked: LinkID?
    private var secretsGiven = 0
    private var randomness: UInt8 = 0
    /// Status of every answer to a command.
    var status: UInt8 = 0
    /// Commands are not answered.
    var isMute = false
    /// Handles of values that need a key.
    var guarded = Guarded()
    /// How often guarded values were read, written or subscribed to.
    private(set) var guardedUses = 0

    struct Guarded {
        /// To read, and to be sent.
        var reads: Set<UInt16> = []
        var writes: Set<UInt16> = []
        /// The link of the other host has the key.
        var isTrusted = false
    }

    static let busy = HostRehearsal().prepared

    init(
        _ host: HostMachine, at now: MonotonicTime, _ controller: ScriptedController, central: UInt16,
        peripheral: UInt16
    ) {
        (self.host, self.now, self.controller) = (host, now, controller)
        (centralLink, peripheralLink) = (central, peripheral)
    }

    mutating func record(links: [LinkID]) { self.links = links }

    // MARK: From the controller

    mutating func receive(_ packet: [UInt8]) { host.received(packet.span.bytes, at: now) }

    mutating func receive(event code: UInt8, _ parameters: [UInt8]) {
        receive([4, code, UInt8(truncatingIfNeeded: parameters.count)] + parameters)
    }

    /// An L2CAP frame in ACL packets of `pieces` octets.
    mutating func receive(frame: [UInt8], onPeripheralLink: Bool, pieces: Int) {
        let handle = onPeripheralLink ? peripheralLink : centralLink
        var start = 0
        repeat {
            let end = min(frame.count, start + max(1, pieces))
            var packet: [UInt8] = [2]
            packet.append(u16: handle | (start == 0 ? 0x2000 : 0x1000))
            packet.append(u16: UInt16(truncatingIfNeeded: end - start))
            receive(packet + frame[start..<end])
            start = end
        } while start < frame.count
    }

    // MARK: Output

    /// The maximum of output and events that one packet may cause.
    private static let outputLimit = 1 << 16

    /// Hands over all output until there is none left. Each packet gets an answer, so the loop ends only when the host is silent. Returns
    /// all packets if they are to be kept.
    @discardableResult
    mutating func settle(keeping isKept: Bool = false) -> [UInt8] {
        var turns = 0
        var kept: [UInt8] = []
        provide()
        while host.hasOutbound {
            turns += 1
            promise(turns < 1_000, "the host talks without end")
            let out = host.takeOutbound()
            if isKept { kept += out }
            promise(out.count <= Self.outputLimit, "\(out.count) octets at once")
            guard !isMute else { continue }
            var answers: [[UInt8]] = []
            var seen = 0
            forEachPacket(of: out) { packet in
                seen += packet.count
                answers.append(controller.answer(to: packet, status: status))
            }
            promise(seen == out.count, "the host sends half a packet")
            for answer in answers where !answer.isEmpty { receive(answer) }
        }
        takeEvents()
        return kept
    }

    /// Gives the host its pairing secrets and random numbers; they are the same in every run, so that a finding is reproducible.
    private mutating func provide() {
        while host.wantsPairingSecrets {
            host.provide(pairingSecrets: PairingScene.secrets(UInt8(secretsGiven % 4 + 11)))
            secretsGiven += 1
        }
        if host.wantsRandomness {
            randomness &+= 1
            host.provide(randomness: (0..<16).map { $0 &* 29 ^ randomness }, at: now)
        }
    }

    /// Every question to a person is answered with yes.
    mutating func agree() {
        guard let link = asked else { return }
        asked = nil
        host.answer(.yes, onPairing: link, at: now)
        settle()
    }

    private mutating func takeEvents() {
        let batch = host.takeEvents()
        promise(batch.events.count <= 4_096, "\(batch.events.count) events at once")
        for event in batch.events {
            switch event {
            case .server(_, .read(let request, let handle, let offset)):
                noteUse(of: guarded.reads.intersection([handle]))
                answersGiven += 1
                // Every eighth request has no answer.
                guard answersGiven % 8 != 0 else { continue }
                let value = [UInt8](repeating: 7, count: max(0, 30 - offset))
                host.answer(read: request, offset > 30 ? .failure(.invalidOffset) : .success(value), at: now)
            case .server(_, .write(_, let request, let items)):
                noteUse(of: guarded.writes.intersection(items.map(\.handle)))
                if let request { host.answer(write: request, nil, at: now) }
            case .server(_, .subscription(_, let handle, isOn: true)):
                noteUse(of: guarded.reads.intersection([handle]))
            case .channel(.opened(let opening)): channels.append(opening.channel)
            case .channel(.data(let channel, let octets)): host.consumed(octets.count, on: channel, at: now)
            case .connected(let link, _, _), .linkUp(let link, _, _): links.append(link)
            case .pairing(let link, _, _, .asked): asked = link
            case .pairing(_, let peer, _, .finished(let bond)):
                promise(host.policy.allows(bond), "\(bond) is kept")
                promise(bond.isSecureConnections || HostRehearsal.legacyPeer == peer, "\(bond) is a legacy one")
                promise(host.bonds.bond(for: bond.identity) != nil, "\(bond) is not kept")
            case .value(_, _, let range, _):
                promise(range.upperBound <= batch.octets.count, "a value ends at \(range.upperBound)")
            default: break
            }
        }
    }

    private mutating func noteUse(of handles: Set<UInt16>) {
        guardedUses += handles.count
        promise(handles.isEmpty || guarded.isTrusted, "handles \(handles) are used without the key")
    }

    // MARK: Time

    /// Lets time pass, and checks that every deadline is met and none stays.
    mutating func advance(by duration: Duration) {
        let end = now + duration
        var (turns, still) = (0, 0)
        while let deadline = host.deadline, deadline <= end, turns < 48 {
            turns += 1
            still = deadline > now ? 0 : still + 1
            promise(still < 32, "time stands still")
            now = max(now, deadline)
            host.advance(to: now)
            settle()
            if host.state == .resetting, !host.isStarting {
                host.start(at: now)
                settle()
            }
        }
        now = end
    }

    /// The promises at the end of every input.
    mutating func check() {
        advance(by: .seconds(2))
        let counters = host.counters
        promise(counters.malformedPackets <= counters.eventsReceived + counters.aclPacketsReceived, "\(counters)")
        promise(counters.unknownHandles <= counters.aclPacketsReceived, "\(counters)")
        promise(counters.disconnections <= counters.connections, "\(counters)")
    }
}
