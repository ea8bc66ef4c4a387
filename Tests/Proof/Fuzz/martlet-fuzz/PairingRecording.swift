// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import HCI
import L2CAP
import SMP

/// A whole pairing of the prepared host with a correct peer: an input of ``HostTarget``. All runs are alike, so that a replay pairs again.
struct PairingRecording {
    /// What ``HostTarget`` does.
    private(set) var script: [UInt8] = []
    /// The peer's PDUs.
    private(set) var pdus: [[UInt8]] = []
    /// We are the Central.
    let isOurCentral: Bool

    static let all = [
        PairingRecording(isOurCentral: false, .noInputNoOutput), PairingRecording(isOurCentral: false, .displayYesNo),
        PairingRecording(isOurCentral: true, .noInputNoOutput), PairingRecording(isOurCentral: true, .displayYesNo),
        PairingRecording(isOurCentral: true, .noInputNoOutput, isLegacy: true),
    ]

    private var target = HostTarget()
    private var host = PreparedHost.busy
    private var peer: PairingMachine
    /// The host's octets since the last delivery to the peer.
    private var said: [UInt8] = []
    private var isPaired = false

    private init(isOurCentral: Bool, _ ioCapability: IOCapability, isLegacy: Bool = false) {
        self.isOurCentral = isOurCentral
        let other = isOurCentral ? HostRehearsal.sensor : HostRehearsal.bondedPeer
        var settings = PairingSettings(
            identity: other, identityKey: SecretKey([UInt8](repeating: 0x2B, count: 16)))
        settings.ioCapability = ioCapability
        settings.allowsLegacy = isLegacy
        settings.offersSecureConnections = !isLegacy
        peer = PairingMachine(
            role: isOurCentral ? .peripheral : .central, initiator: isOurCentral ? HostRehearsal.address : other,
            responder: isOurCentral ? other : HostRehearsal.address, settings: settings,
            secrets: PairingScene.secrets(3))
        if isOurCentral {
            // One of the two links: on the other link a Security Request does no harm.
            step([5, 20, 0])
            step([5, 20, 1])
        } else {
            perform(peer.begin(at: host.now))
        }
        while !said.isEmpty || host.asked != nil, script.count < 2_000 {
            hear()
            if host.asked != nil { step([5, 21, 0]) }
        }
        promise(isPaired && host.host.bonds.count == 1, "a rehearsed pairing fails")
    }

    private mutating func step(_ octets: [UInt8]) {
        script += octets
        var input = FuzzInput(octets)
        _ = target.step(&host, &input)
        said += host.settle(keeping: true)
    }

    private var handle: [UInt8] {
        var octets: [UInt8] = []
        octets.append(u16: isOurCentral ? host.centralLink : host.peripheralLink)
        return octets
    }

    /// Hands the host's octets to the peer.
    private mutating func hear() {
        while !said.isEmpty {
            let packets = said
            said = []
            var (arrived, encrypts): ([[UInt8]], Bool) = ([], false)
            forEachPacket(of: packets) { packet in
                if packet.count > 9, packet[0] == 2, packet[1] == handle[0], packet[7] == 6 {
                    arrived.append(Array(packet[9...]))
                }
                if packet.starts(with: [1, 0x19, 0x20]) { encrypts = true }
            }
            for pdu in arrived { perform(peer.received(pdu[...], at: host.now)) }
            if encrypts { encrypted() }
        }
    }

    private mutating func encrypted() {
        step([3, 0x08, 4, 0] + handle + [1])
        perform(peer.encrypted(at: host.now))
    }

    private mutating func perform(_ effects: [PairingMachine.Effect]) {
        for effect in effects {
            switch effect {
            case .send(let pdu):
                pdus.append(pdu)
                step([isOurCentral ? 0 : 1, 6, 0xFF, UInt8(pdu.count)] + pdu)
            case .ask(.consent), .ask(.compare): perform(peer.answer(.yes, at: host.now))
            case .ask: break
            case .encrypt:
                step([3, 0x3E, 13, 0x05] + handle + [UInt8](repeating: 0, count: 10))
                encrypted()
            case .finished: isPaired = true
            case .failed(let failure): promise(false, "a rehearsed pairing fails: \(failure)")
            }
        }
    }
}
