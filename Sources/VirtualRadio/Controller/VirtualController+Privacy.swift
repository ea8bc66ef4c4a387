// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI
import SMP

/// Privacy in the link layer. Core 5.4, Vol 4, Part E, 7.8.38–45 and 7.8.77, and Vol 6, Part B, 6.
extension VirtualController {
    static let privacyCommands: [HCIOpcode: ControllerCommand] = [
        .leEncrypt: ControllerCommand(27, 6, returns: 16) { _, reader in
            let key = try reader.secretKey("key")
            let block = try reader.bytes(16, "plaintextData")
            try reader.finish()
            return Cryptography.e(key, block.reversed()).reversed()
        },
        .leAddDeviceToResolvingList: ControllerCommand(34, 3, needsResolvingList: true) { controller, reader in
            let identity = try reader.identity()
            let peerKey = try reader.secretKey("peerIRK")
            let localKey = try reader.secretKey("localIRK")
            try reader.finish()
            try controller.checkResolvingListIsFree()
            let entry = ResolvingList.Entry(identity: identity, peerKey: peerKey, localKey: localKey)
            let entries = controller.host.resolvingList.entries
            // A second entry for a device or with its key: the controller could not tell the entries apart.
            guard !entries.contains(where: { $0.identity == identity || $0.resolvesPeer && $0.peerKey == peerKey })
            else { throw HCIStatus.invalidCommandParameters }
            guard entries.count < controller.settings.resolvingListSize else { throw HCIStatus.memoryCapacityExceeded }
            controller.host.resolvingList.entries.append(entry)
            return []
        },
        .leRemoveDeviceFromResolvingList: ControllerCommand(34, 4, needsResolvingList: true) { controller, reader in
            let identity = try reader.identity()
            try reader.finish()
            try controller.checkResolvingListIsFree()
            let index = try controller.resolvingListIndex(of: identity)
            controller.host.resolvingList.entries.remove(at: index)
            return []
        },
        .leClearResolvingList: ControllerCommand(34, 5, needsResolvingList: true) { controller, reader in
            try reader.finish()
            try controller.checkResolvingListIsFree()
            controller.host.resolvingList.entries = []
            return []
        },
        .leReadResolvingListSize: ControllerCommand(34, 6, returns: 1, needsResolvingList: true) {
            controller, reader in
            try reader.finish()
            return [controller.settings.resolvingListSize]
        },
        .leReadPeerResolvableAddress: ControllerCommand(34, 7, returns: 6, needsResolvingList: true) {
            controller, reader in
            let identity = try reader.identity()
            try reader.finish()
            let entry = controller.host.resolvingList.entries[try controller.resolvingListIndex(of: identity)]
            guard let address = entry.heard ?? entry.peer?.address else { throw HCIStatus.unknownConnectionIdentifier }
            return Array(u48: address.value)
        },
        .leReadLocalResolvableAddress: ControllerCommand(35, 0, returns: 6, needsResolvingList: true) {
            controller, reader in
            let identity = try reader.identity()
            try reader.finish()
            let entry = controller.host.resolvingList.entries[try controller.resolvingListIndex(of: identity)]
            guard let made = entry.local else { throw HCIStatus.unknownConnectionIdentifier }
            return Array(u48: made.address.value)
        },
        .leSetAddressResolutionEnable: ControllerCommand(35, 1, needsResolvingList: true) { controller, reader in
            let enable = try reader.u8("addressResolutionEnable")
            try reader.finish()
            guard enable <= 1 else { throw HCIStatus.invalidCommandParameters }
            guard !controller.usesAddresses else { throw HCIStatus.commandDisallowed }
            controller.host.resolvingList.isEnabled = enable == 1
            return []
        },
        .leSetResolvablePrivateAddressTimeout: ControllerCommand(35, 2, needsResolvingList: true) {
            controller, reader in
            let seconds = try reader.u16("rpaTimeout")
            try reader.finish()
            guard 1...0x0E10 ~= seconds else { throw HCIStatus.invalidCommandParameters }
            controller.host.resolvingList.timeout = .seconds(Int64(seconds))
            return []
        },
        .leSetPrivacyMode: ControllerCommand(39, 2, needsResolvingList: true) { controller, reader in
            let identity = try reader.identity()
            let mode = LESetPrivacyMode.Mode(rawValue: try reader.u8("privacyMode"))
            try reader.finish()
            guard let mode else { throw HCIStatus.invalidCommandParameters }
            try controller.checkResolvingListIsFree()
            let index = try controller.resolvingListIndex(of: identity)
            controller.host.resolvingList.entries[index].mode = mode
            return []
        },
    ]

    /// Advertising, scanning or initiating.
    private var usesAddresses: Bool {
        host.legacyAdvertising.isEnabled || host.advertisingSets.values.contains(where: \.isEnabled)
            || host.scanner.isEnabled || host.initiator != nil
    }

    /// The list must not change while it is in use. Core 5.4, Vol 4, Part E, 7.8.38.
    private func checkResolvingListIsFree() throws(HCIStatus) {
        if host.resolvingList.isEnabled, usesAddresses { throw .commandDisallowed }
    }

    private func resolvingListIndex(of identity: DeviceAddress) throws(HCIStatus) -> Int {
        guard let index = host.resolvingList.index(of: identity) else { throw .unknownConnectionIdentifier }
        return index
    }

    // MARK: Peers

    /// The sender behind `address`; nil if the controller must ignore the sender: a device in network privacy mode that
    /// has a key and does not use it.
    func device(at address: DeviceAddress) -> SeenDevice? {
        if let index = host.resolvingList.index(behind: address) {
            host.resolvingList.entries[index].heard = address
            return SeenDevice(address: address, identity: host.resolvingList.entries[index].identity)
        }
        if host.resolvingList.isEnabled, let index = host.resolvingList.index(of: address) {
            let entry = host.resolvingList.entries[index]
            if entry.resolvesPeer, entry.mode == .network { return nil }
        }
        return SeenDevice(address: address, identity: nil)
    }

    /// The address in a directed advertisement for `peer`.
    func target(for peer: DeviceAddress, ownAddressType: UInt8) -> DeviceAddress {
        guard ownAddressType >= 2, host.resolvingList.isEnabled, let index = host.resolvingList.index(of: peer),
            host.resolvingList.entries[index].resolvesPeer
        else { return peer }
        return made(at: index, \.peer, with: \.peerKey)
    }

    // MARK: Our own

    /// Our address towards `peer`: with types 2 and 3 a private address, if the list has a key of ours for `peer`.
    func ownAddress(type: UInt8, random: DeviceAddress?, towards peer: DeviceAddress?) throws(HCIStatus)
        -> DeviceAddress
    {
        guard type >= 2, host.resolvingList.isEnabled, let peer, let index = host.resolvingList.index(of: peer),
            host.resolvingList.entries[index].makesLocal
        else { return try ownAddress(type: type, random: random) }
        return made(at: index, \.local, with: \.localKey)
    }

    /// A directed advertisement of `device` for `target` is for us.
    func isOurs(_ target: DeviceAddress, of device: SeenDevice, ownAddressType: UInt8) -> Bool {
        if ownAddressType >= 2, host.resolvingList.isEnabled, let index = host.resolvingList.index(of: device.name),
            host.resolvingList.entries[index].makesLocal
        {
            return target.isResolved(by: host.resolvingList.entries[index].localKey)
        }
        return target == (try? ownAddress(type: ownAddressType, random: host.randomAddress))
    }

    private func made(
        at index: Int, _ place: WritableKeyPath<ResolvingList.Entry, ResolvingList.Made?>,
        with key: KeyPath<ResolvingList.Entry, SecretKey>
    ) -> DeviceAddress {
        if let present = host.resolvingList.entries[index][keyPath: place],
            air.now - present.at < host.resolvingList.timeout
        {
            return present.address
        }
        let address = DeviceAddress.resolvable(
            host.resolvingList.entries[index][keyPath: key], random: UInt32(truncatingIfNeeded: air.random.next()))
        host.resolvingList.entries[index][keyPath: place] = ResolvingList.Made(address: address, at: air.now)
        return address
    }
}

extension ByteReader {
    fileprivate mutating func identity() throws -> DeviceAddress {
        let type = try u8("peerIdentityAddressType")
        let identity = try address(kind: type & 1, "peerIdentityAddress")
        guard type <= 1, identity.isIdentity else { throw HCIStatus.invalidCommandParameters }
        return identity
    }

    fileprivate mutating func secretKey(_ field: StaticString) throws -> SecretKey {
        guard let key = SecretKey(try bytes(16, field).reversed()) else { throw DecodeError.invalid(field: field) }
        return key
    }
}

extension [UInt8] {
    init(u48 value: UInt64) {
        self = []
        append(u48: value)
    }
}
