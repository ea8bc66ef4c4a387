// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

/// Answers to commands.
extension HostMachine {
    /// `parameters`: the status, then the return parameters; only the status in a Command Status event.
    mutating func answered(
        _ opcode: HCIOpcode, _ purpose: CommandPurpose, _ parameters: ArraySlice<UInt8>, at now: MonotonicTime
    ) {
        let status = HCIStatus(rawValue: parameters.first ?? HCIStatus.unspecifiedError.rawValue)
        if state == .resetting {
            answeredInStartup(opcode, status, parameters)
            // Every set-up suggests long packets, and the host may know a peer that ends its links over them.
            if state == .ready { suggestDataLength(at: now) }
            return
        }
        switch purpose {
        case .plain: answered(opcode, status, at: now)
        case .advertiser(let place): advertiserAnswered(place, opcode, status, at: now)
        case .randomAddress(let address, let advertiser):
            if status == .success { addresses.controllerTook(address) }
            if let advertiser {
                advertiserAnswered(advertiser, opcode, status, at: now)
            } else if status != .success {
                addresses.refused(at: now)
            }
        case .rssi(_, let id):
            switch try? ReadRSSI.decodeReturn(parameters) {
            case .success(let answer): complete(rssi: id, .success(answer.rssi))
            case .failure(let status): complete(rssi: id, .failure(status))
            case nil: complete(rssi: id, .failure(.unspecifiedError))
            }
        case .encryption(let link): encryptionAnswered(link, status, at: now)
        case .end(let link): endRefused(link, status, at: now)
        case .update(let link):
            if status != .success, let handle = links.handle(of: link) {
                parametersRefused(status, on: handle, at: now)
                updated(handle)
            }
        case .parameterReply: break
        case .linkLayer(let link, let effect): linkLayerAnswered(effect, of: link, status, at: now)
        }
    }

    private mutating func answered(_ opcode: HCIOpcode, _ status: HCIStatus, at now: MonotonicTime) {
        switch opcode {
        case .leSetScanParameters, .leSetExtendedScanParameters, .leSetScanEnable, .leSetExtendedScanEnable:
            scannerAnswered(opcode, status, at: now)
        case .leClearFilterAcceptList, .leAddDeviceToFilterAcceptList, .leRemoveDeviceFromFilterAcceptList,
            .leCreateConnection, .leExtendedCreateConnection, .leCreateConnectionCancel:
            initiatorAnswered(opcode, status, at: now)
        case .leAddDeviceToResolvingList, .leRemoveDeviceFromResolvingList, .leClearResolvingList,
            .leSetAddressResolutionEnable, .leSetPrivacyMode:
            resolvingAnswered(status, at: now)
        default:
            // All other commands are answered by events of their own, or change nothing that the host keeps.
            break
        }
    }

    private mutating func answeredInStartup(
        _ opcode: HCIOpcode, _ status: HCIStatus, _ parameters: ArraySlice<UInt8>
    ) {
        do {
            try controller.learn(opcode, parameters, hidesAddress: addresses.hidesPublicAddress)
        } catch {
            fail("the controller's answer to \(opcode) cannot be read: \(error)")
            return
        }
        if opcode == .reset, status != .success {
            fail("the controller refused Reset: \(status)")
            return
        }
        controller.isLegacyOnly = radio.commands.isLegacyOnly(controller.identity)
        controller.isPlainOnly = radio.commands.isPlainOnly(controller.identity)
        if status != .success, let reason = reasonToEndSetUp(opcode, status) {
            fail(reason)
            return
        }
        switch life.answered(opcode, status, controller, randomAddress: addresses.random) {
        case .wait: break
        case .submit(let commands): for command in commands { submit(command) }
        case .refused(let opcode, let status): fail("the controller refused \(opcode): \(status)")
        case .noLE: finishSetUp(as: .unsupported, "the controller has no Bluetooth LE")
        case .ready where controller.aclLength < ACLCreditMachine.minimumPacketLength || controller.aclCount == 0:
            fail("the controller has \(controller.aclCount) buffers of \(controller.aclLength) octets, too few for LE")
        case .ready: becomeReady()
        }
    }

    /// The reason to end the set-up, if nothing would work without the refused command.
    private mutating func reasonToEndSetUp(_ opcode: HCIOpcode, _ status: HCIStatus) -> String? {
        switch opcode {
        case .leSetEventMask where controller.usesExtendedCommands:
            // Without this mask, events of the extended commands would not come. Events of the older commands come
            // without a mask. Vol 4, Part E, 7.8.1.
            radio.useLegacyCommands(of: controller)
            return "\(Self.refusal(of: opcode, status)); from now on it has the older commands"
        case .leSetRandomAddress:
            return "\(Self.refusal(of: opcode, status)), and there is no other address to use"
        default: return nil
        }
    }

    static func refusal(of opcode: HCIOpcode, _ status: HCIStatus) -> String {
        "the controller refuses \(opcode.words): \(status)"
    }

    private mutating func becomeReady() {
        radio.restart(with: controller)
        // The set-up has suggested this.
        linkDefaults.suggestedOctets = LinkLayerMachine.longest
        resetAdvertisers()
        addresses.restart(with: controller)
        outbound.restart(packetLength: controller.aclLength, count: controller.aclCount)
        initiator = freshInitiator
        let hasList = controller.hasResolvingList && Self.resolvingCommands.isDisjoint(with: radio.commands.left)
        resolving.restart(capacity: hasList ? controller.resolvingListSize : 0)
        finishSetUp(as: .ready, "powered on")
    }

    private mutating func finishSetUp(as state: HostState, _ reason: String) {
        life.finish(as: state)
        reportState(reason)
    }
}
