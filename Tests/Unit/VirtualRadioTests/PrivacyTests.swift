// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI
import SMP
import Testing

@testable import VirtualRadio

/// A controller with a resolving list, and a peer that changes its address.
@Suite struct PrivacyTests {
    private static let peerKey = SecretKey((1...16).map { UInt8($0) }) ?? .zero
    private static let localKey = SecretKey((21...36).map { UInt8($0) }) ?? .zero
    private static let identity = DeviceAddress(kind: .random, value: 0xC1_00_00_00_00_01)
    private static let other = DeviceAddress(kind: .public, value: 0x00_00_00_00_BB_01)
    private static let first = DeviceAddress.resolvable(peerKey, random: 1)
    private static let hostAddress = DeviceAddress(kind: .random, value: 0xC0_00_00_00_00_F0)

    private struct Stage {
        let air: VirtualAir
        let host: ScriptedHost
        let peer: ScriptedHost
    }

    private func stage(_ size: UInt8 = 4) -> Stage {
        let air = VirtualAir(seed: 1)
        let host = ScriptedHost(air, settings: ControllerSettings(resolvingListSize: size))
        let peer = ScriptedHost(
            air, address: DeviceAddress(kind: .public, value: 0xBB),
            settings: ControllerSettings(resolvingListSize: size))
        host.setUp()
        peer.setUp()
        return Stage(air: air, host: host, peer: peer)
    }

    private func device(_ address: DeviceAddress) -> [UInt8] { [address.kind.rawValue] + u48(address.value) }

    private func entry(
        _ identity: DeviceAddress, _ peerKey: SecretKey = peerKey, _ localKey: SecretKey = .zero
    ) -> [UInt8] { device(identity) + peerKey.littleEndian + localKey.littleEndian }

    /// Adds the peer in device privacy mode, and switches resolution on.
    private func resolve(
        _ stage: Stage, _ identity: DeviceAddress = identity, localKey: SecretKey = .zero, isDeviceMode: Bool = true
    ) {
        #expect(stage.host.command(.leAddDeviceToResolvingList, entry(identity, Self.peerKey, localKey)) == [0])
        if isDeviceMode { #expect(stage.host.command(.leSetPrivacyMode, device(identity) + [1]) == [0]) }
        #expect(stage.host.command(.leSetAddressResolutionEnable, [1]) == [0])
    }

    private func advertise(
        _ player: ScriptedHost, as address: DeviceAddress? = nil, type: UInt8 = 0, own: UInt8 = 1,
        to target: DeviceAddress? = nil
    ) {
        player.command(.leSetAdvertisingEnable, [0])
        if let address { #expect(player.command(.leSetRandomAddress, u48(address.value)) == [0]) }
        let peer = target.map(device) ?? [0, 0, 0, 0, 0, 0, 0]
        #expect(
            player.command(.leSetAdvertisingParameters, u16(0x40) + u16(0x40) + [type, own] + peer + [7, 0]) == [0])
        #expect(player.command(.leSetAdvertisingEnable, [1]) == [0])
    }

    private func scan(_ player: ScriptedHost, own: UInt8 = 1, usesAcceptList: Bool = false) {
        #expect(
            player.command(.leSetScanParameters, [0] + u16(0x60) + u16(0x60) + [own, usesAcceptList ? 1 : 0]) == [0])
        #expect(player.command(.leSetScanEnable, [1, 0]) == [0])
    }

    private func initiate(_ player: ScriptedHost, to target: DeviceAddress?, own: UInt8 = 1) -> [UInt8] {
        player.command(
            .leCreateConnection,
            u16(0x60) + u16(0x60) + [target == nil ? 1 : 0] + (target.map(device) ?? [0, 0, 0, 0, 0, 0, 0]) + [own]
                + u16(24) + u16(24) + u16(0) + u16(200) + u16(0) + u16(0))
    }

    /// Type and address of the next report.
    private func report(_ player: ScriptedHost) throws -> [UInt8] {
        Array(try player.event(.advertisingReport, within: .seconds(2))[2..<9])
    }

    private func address(_ octets: ArraySlice<UInt8>) -> DeviceAddress {
        DeviceAddress(kind: .random, value: octets.reversed().reduce(0) { $0 << 8 | UInt64($1) })
    }

    // MARK: The list

    @Test func `without a resolving list its commands are unknown, and nothing of it is claimed`() {
        let host = stage(0).host
        for opcode in VirtualController.privacyCommands.keys where opcode != .leEncrypt {
            #expect(host.command(opcode) == [0x01])
        }
        #expect(!SupportedCommands(octets: Array(host.command(.readLocalSupportedCommands)[1...])).resolvingList)
        #expect(host.command(.leReadLocalSupportedFeatures)[1] & 0x40 == 0)
        advertise(host)
        host.command(.leSetAdvertisingEnable, [0])
        host.command(.leSetAdvertisingParameters, u16(0x40) + u16(0x40) + [0, 3, 0, 0, 0, 0, 0, 0, 0, 7, 0])
        #expect(host.command(.leSetAdvertisingEnable, [1]) == [0x11])
    }

    @Test func `a controller with a list says so`() {
        let host = stage(4).host
        #expect(SupportedCommands(octets: Array(host.command(.readLocalSupportedCommands)[1...])).resolvingList)
        #expect(host.command(.leReadLocalSupportedFeatures)[1] & 0x40 == 0x40)
        #expect(host.command(.leReadResolvingListSize) == [0, 4])
    }

    @Test func `the list takes each device once, up to its size`() {
        let host = stage(2).host
        #expect(host.command(.leAddDeviceToResolvingList, entry(Self.identity)) == [0])
        #expect(host.command(.leAddDeviceToResolvingList, entry(Self.identity, Self.localKey)) == [0x12], "again")
        #expect(host.command(.leAddDeviceToResolvingList, entry(Self.other)) == [0x12], "the same key")
        #expect(host.command(.leAddDeviceToResolvingList, entry(Self.first, Self.localKey)) == [0x12], "no identity")
        #expect(host.command(.leAddDeviceToResolvingList, entry(Self.other, .zero)) == [0])
        let third = DeviceAddress(kind: .public, value: 3)
        #expect(host.command(.leAddDeviceToResolvingList, entry(third, Self.localKey)) == [0x07])
        #expect(host.command(.leRemoveDeviceFromResolvingList, device(third)) == [0x02])
        #expect(host.command(.leSetPrivacyMode, device(third) + [1]) == [0x02])
        #expect(host.command(.leSetPrivacyMode, device(Self.other) + [2]) == [0x12])
        #expect(host.command(.leRemoveDeviceFromResolvingList, device(Self.other)) == [0])
        #expect(host.command(.leAddDeviceToResolvingList, entry(third, Self.localKey)) == [0])
        #expect(host.command(.leClearResolvingList) == [0])
        #expect(host.command(.leAddDeviceToResolvingList, entry(Self.identity)) == [0])
        #expect(host.command(.leSetResolvablePrivateAddressTimeout, u16(0)) == [0x12])
        #expect(host.command(.leSetResolvablePrivateAddressTimeout, u16(0x0E11)) == [0x12])
        #expect(host.command(.leSetResolvablePrivateAddressTimeout, u16(0x0E10)) == [0])
        #expect(host.command(.leSetAddressResolutionEnable, [2]) == [0x12])
        host.command(.reset)
        #expect(host.command(.leRemoveDeviceFromResolvingList, device(Self.identity)) == [0x02], "reset empties it")
    }

    @Test(arguments: ["advertising", "scanning", "initiating"])
    func `the list does not change while it is used`(activity: String) {
        let stage = stage()
        resolve(stage)
        func begin() {
            switch activity {
            case "advertising": advertise(stage.host)
            case "scanning": scan(stage.host)
            default: #expect(initiate(stage.host, to: Self.other) == [0])
            }
        }
        func end() {
            stage.host.command(.leSetAdvertisingEnable, [0])
            stage.host.command(.leSetScanEnable, [0, 0])
            stage.host.command(.leCreateConnectionCancel)
        }
        begin()
        #expect(stage.host.command(.leAddDeviceToResolvingList, entry(Self.other, Self.localKey)) == [0x0C])
        #expect(stage.host.command(.leRemoveDeviceFromResolvingList, device(Self.identity)) == [0x0C])
        #expect(stage.host.command(.leClearResolvingList) == [0x0C])
        #expect(stage.host.command(.leSetPrivacyMode, device(Self.identity) + [0]) == [0x0C])
        #expect(stage.host.command(.leSetAddressResolutionEnable, [0]) == [0x0C])
        end()
        #expect(stage.host.command(.leSetAddressResolutionEnable, [0]) == [0])
        begin()
        // The controller ignores a list that is switched off.
        #expect(stage.host.command(.leAddDeviceToResolvingList, entry(Self.other, Self.localKey)) == [0])
        #expect(stage.host.command(.leSetAddressResolutionEnable, [1]) == [0x0C])
    }

    // MARK: Hearing

    @Test(arguments: [identity, other])
    func `reports tell the identity behind a private address`(identity: DeviceAddress) throws {
        let stage = stage()
        advertise(stage.peer, as: Self.first)
        scan(stage.host)
        #expect(try report(stage.host) == device(Self.first))
        stage.host.command(.leSetScanEnable, [0, 0])
        resolve(stage, identity)
        scan(stage.host)
        #expect(try report(stage.host) == [identity.kind.rawValue | 2] + u48(identity.value))
        #expect(stage.host.command(.leReadPeerResolvableAddress, device(identity)) == [0] + u48(Self.first.value))
        let stranger = DeviceAddress.resolvable(Self.localKey, random: 1)
        advertise(stage.peer, as: stranger)
        var heard: [UInt8] = []
        for _ in 0..<100 where heard != device(stranger) { heard = try report(stage.host) }
        #expect(heard == device(stranger), "somebody else's key")
    }

    @Test(arguments: [false, true])
    func `an identity address is heard in device privacy mode, not in network privacy mode`(isDeviceMode: Bool) {
        let stage = stage()
        resolve(stage, isDeviceMode: isDeviceMode)
        advertise(stage.peer, as: Self.identity)
        scan(stage.host)
        stage.host.run(.seconds(2))
        let reports = stage.host.packets.count { $0.count > 3 && $0[1] == 0x3E && $0[3] == 0x02 }
        #expect((reports > 0) == isDeviceMode)
    }

    @Test func `the Filter Accept List holds identities while addresses are resolved`() throws {
        let stage = stage()
        #expect(stage.host.command(.leAddDeviceToFilterAcceptList, device(Self.identity)) == [0])
        advertise(stage.peer, as: Self.first)
        scan(stage.host, usesAcceptList: true)
        stage.host.run(.seconds(2))
        #expect(!stage.host.packets.contains { $0[1] == 0x3E }, "the private address is not in the list")
        stage.host.command(.leSetScanEnable, [0, 0])
        resolve(stage)
        scan(stage.host, usesAcceptList: true)
        #expect(try report(stage.host) == [3] + u48(Self.identity.value))
    }

    // MARK: Connecting

    @Test(arguments: [false, true])
    func `whoever is wanted by identity is connected to under a private address`(usesAcceptList: Bool) throws {
        let stage = stage()
        resolve(stage)
        if usesAcceptList { stage.host.command(.leAddDeviceToFilterAcceptList, device(Self.identity)) }
        advertise(stage.peer, as: Self.first)
        #expect(initiate(stage.host, to: usesAcceptList ? nil : Self.identity) == [0])
        let complete = try stage.host.event(.enhancedConnectionComplete)
        #expect(complete[0] == 0 && Array(complete[4..<11]) == [3] + u48(Self.identity.value))
        #expect(Array(complete[11..<17]) == u48(0), "our address was the host's")
        #expect(Array(complete[17..<23]) == u48(Self.first.value))
        let accepted = try stage.peer.event(.enhancedConnectionComplete)
        #expect(Array(accepted[4..<11]) == device(Self.hostAddress))
        #expect(initiate(stage.host, to: Self.identity) == [0x0B], "there is a link already")
    }

    @Test func `with a key of ours the controller makes our address, and another when its time is over`() throws {
        let stage = stage()
        resolve(stage, localKey: Self.localKey)
        stage.host.command(.leSetResolvablePrivateAddressTimeout, u16(60))
        var seen: [DeviceAddress] = []
        for _ in 0..<2 {
            advertise(stage.peer, as: Self.first)
            #expect(initiate(stage.host, to: Self.identity, own: 3) == [0])
            let complete = try stage.host.event(.enhancedConnectionComplete)
            let accepted = try stage.peer.event(.enhancedConnectionComplete)
            let own = address(accepted[5..<11])
            #expect(own.isResolved(by: Self.localKey) && Array(complete[11..<17]) == u48(own.value))
            #expect(
                stage.host.command(.leReadLocalResolvableAddress, device(Self.identity)) == [0] + u48(own.value))
            seen.append(own)
            stage.host.command(.disconnect, [complete[1], complete[2], 0x13])
            _ = try stage.host.event(.disconnectionComplete)
            stage.host.run(.seconds(61))
        }
        #expect(Set(seen).count == 2)
    }

    @Test func `a directed advertisement to our private address is for us`() throws {
        let stage = stage()
        resolve(stage)
        let own = DeviceAddress.resolvable(Self.localKey, random: 9)
        #expect(stage.host.command(.leSetRandomAddress, u48(own.value)) == [0])
        advertise(stage.peer, as: Self.first, type: 4, to: Self.hostAddress)
        #expect(initiate(stage.host, to: Self.identity) == [0])
        stage.host.run(.seconds(3))
        advertise(stage.peer, as: Self.first, type: 4, to: own)
        #expect(try stage.host.event(.enhancedConnectionComplete)[0] == 0)
    }

    @Test func `a directed advertisement for an identity is addressed to a private address`() throws {
        let stage = stage()
        // The peer knows our key and advertises for us alone; our address, which we have made, is in no list of ours.
        #expect(stage.peer.command(.leAddDeviceToResolvingList, entry(Self.hostAddress, Self.localKey)) == [0])
        #expect(stage.peer.command(.leSetAddressResolutionEnable, [1]) == [0])
        advertise(stage.peer, as: Self.identity, type: 4, own: 3, to: Self.hostAddress)
        resolve(stage, localKey: Self.localKey)
        #expect(initiate(stage.host, to: Self.identity, own: 3) == [0])
        let accepted = try stage.peer.event(.enhancedConnectionComplete)
        #expect(Array(accepted[4..<11]) == [3] + u48(Self.hostAddress.value))
        #expect(address(accepted[17..<23]).isResolved(by: Self.localKey))
    }

    // MARK: AES

    @Test func `LE Encrypt gives the block of FIPS 197`() {
        let host = stage(0).host
        let key = (0..<16).map { UInt8($0) }
        let block = (0..<16).map { UInt8($0 * 17) }
        #expect(
            host.command(.leEncrypt, key.reversed() + block.reversed())
                == [0] + ([UInt8](hexadecimal: "69c4e0d86a7b0430d8cdb78070b4c55a") ?? []).reversed())
        #expect(host.command(.leEncrypt, [1]).first == 0x12)
    }
}
