// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

/// Answers to commands.
extension HostMachine {
    /// `parameters`: the status, then what the command returns; the status alone from Command Status.
    mutating func answered(
        _ opcode: HCIOpcode, _ purpose: CommandPurpose, _ parameters: ArraySlice<UInt8>, at now: MonotonicTime
    ) {
        let status = HCIStatus(rawValue: parameters.first ?? HCIStatus.unspecifiedError.rawValue)
        if state == .resetting {
            answeredInStartup(opcode, status, parameters)
            return
        }
        switch purpose {
        case .plain: answered(opcode, status, at: now)
        case .advertiser(let place): advertiserAnswered(place, status, at: now)
        case .randomAddress(let address, let advertiser):
            if status == .success { takenAddress = address }
            if let advertiser {
                advertiserAnswered(advertiser, status, at: now)
            } else if status != .success {
                privacy.refused(at: now)
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
            if status != .success, let handle = handles[link] {
                parametersRefused(status, on: handle, at: now)
                updated(handle)
            }
        case .parameterReply: break
        case .linkLayer(let link, let effect): linkLayerAnswered(effect, of: link, status, at: now)
        }
    }

    private mutating func answered(_ opcode: HCIOpcode, _ status: HCIStatus, at now: MonotonicTime) {
        switch opcode {
        case .leSetScanEnable, .leSetExtendedScanEnable:
            if status == .commandDisallowed { learned.refused(.scan, beside: activeUsers) }
            scanControl.answered(status, isAlone: activeUsers == .scan, at: now)
        case .leClearFilterAcceptList, .leAddDeviceToFilterAcceptList, .leRemoveDeviceFromFilterAcceptList,
            .leCreateConnection, .leExtendedCreateConnection, .leCreateConnectionCancel:
            let isCreation = [.leCreateConnection, .leExtendedCreateConnection].contains(opcode)
            if status == .commandDisallowed, isCreation { learned.refused(.initiate, beside: activeUsers) }
            initiator.answered(status, at: now)
            if isCreation { noteLimit(status) }
        case .leAddDeviceToResolvingList, .leRemoveDeviceFromResolvingList, .leClearResolvingList,
            .leSetAddressResolutionEnable, .leSetPrivacyMode:
            resolvingAnswered(status, at: now)
        default:
            // The rest is answered by an event of its own, or changes nothing that we keep.
            break
        }
    }

    private mutating func answeredInStartup(
        _ opcode: HCIOpcode, _ status: HCIStatus, _ parameters: ArraySlice<UInt8>
    ) {
        do {
            try learn(opcode, parameters)
        } catch {
            fail("the controller's answer to \(opcode) cannot be read: \(error)")
            return
        }
        if opcode == .reset, status != .success {
            fail("the controller refused Reset: \(status)")
            return
        }
        switch startup.answered(opcode, status, controller, supportsLE: supportsLE, randomAddress: randomAddress) {
        case .wait: break
        case .submit(let commands): for command in commands { submit(command) }
        case .noLE: setState(.unsupported, reason: "the controller has no Bluetooth LE")
        case .ready where controller.aclLength < ACLCreditMachine.minimumPacketLength || controller.aclCount == 0:
            fail("the controller has \(controller.aclCount) buffers of \(controller.aclLength) octets, too few for LE")
        case .ready: becomeReady()
        }
    }

    /// An LE-only controller need not know the BR/EDR feature page; its LE buffers or features tell enough.
    private var supportsLE: Bool { controller.features != [] || controller.aclLength > 0 || hasLEFeature }

    private mutating func learn(_ opcode: HCIOpcode, _ parameters: ArraySlice<UInt8>) throws(DecodeError) {
        switch opcode {
        case .readLocalVersionInformation:
            if case .success(let answer) = try ReadLocalVersionInformation.decodeReturn(parameters) {
                controller.hciVersion = answer.hciVersion
                controller.companyIdentifier = answer.companyIdentifier
            }
        case .readLocalSupportedCommands:
            if case .success(let answer) = try ReadLocalSupportedCommands.decodeReturn(parameters) {
                controller.commands = answer.commands
            }
        case .readLocalSupportedFeatures:
            if case .success(let answer) = try ReadLocalSupportedFeatures.decodeReturn(parameters) {
                hasLEFeature = answer.supportsLE
            }
        case .readBDADDR:
            if case .success(let answer) = try ReadBDADDR.decodeReturn(parameters) {
                // Two gateways in one room would be one by such an address. One that we have given up shows nowhere.
                let isUsed = !answer.address.isUnassigned && !hidesPublicAddress
                controller.address = isUsed ? answer.address : DeviceAddress(kind: .public, value: 0)
            }
        case .leReadLocalSupportedFeatures:
            if case .success(let answer) = try LEReadLocalSupportedFeatures.decodeReturn(parameters) {
                controller.features = answer.features
            }
        case .leReadBufferSize:
            if case .success(let answer) = try LEReadBufferSize.decodeReturn(parameters) {
                (controller.aclLength, controller.aclCount) = (Int(answer.aclLength), Int(answer.aclCount))
            }
        case .readBufferSize:
            if case .success(let answer) = try ReadBufferSize.decodeReturn(parameters) {
                (controller.aclLength, controller.aclCount) = (Int(answer.aclLength), Int(answer.aclCount))
            }
        case .leReadFilterAcceptListSize:
            if case .success(let answer) = try LEReadFilterAcceptListSize.decodeReturn(parameters) {
                controller.acceptListSize = Int(answer.size)
            }
        case .leReadResolvingListSize:
            if case .success(let answer) = try LEReadResolvingListSize.decodeReturn(parameters) {
                controller.resolvingListSize = Int(answer.size)
            }
        case .leReadSupportedStates:
            if case .success(let answer) = try LEReadSupportedStates.decodeReturn(parameters) {
                controller.states = answer.states
            }
        case .leReadMaximumAdvertisingDataLength:
            if case .success(let answer) = try LEReadMaximumAdvertisingDataLength.decodeReturn(parameters) {
                controller.maximumAdvertisingData = max(31, min(Int(answer.length), 1650))
            }
        case .leReadNumberOfSupportedAdvertisingSets:
            if case .success(let answer) = try LEReadNumberOfSupportedAdvertisingSets.decodeReturn(parameters) {
                controller.advertisingSets = max(1, Int(answer.count))
            }
        default:
            break
        }
    }

    private mutating func becomeReady() {
        if learnedOf != controller.identity {
            learnedOf = controller.identity
            learned = LearnedCombinations(companyIdentifier: controller.companyIdentifier)
        }
        resetAdvertisers()
        takenAddress = controller.address.value == 0 ? randomAddress : nil
        initiatingAddress = nil
        acl = ACLCreditMachine(packetLength: controller.aclLength, count: controller.aclCount)
        initiator = InitiatorMachine(capacity: controller.acceptListSize)
        privacy.restart()
        resolving.restart(capacity: controller.hasResolvingList ? controller.resolvingListSize : 0)
        setState(.ready, reason: "powered on")
    }
}
