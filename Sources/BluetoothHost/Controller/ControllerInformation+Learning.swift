// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

/// Learns the controller's facts from its answers to the commands of the set-up.
extension ControllerInformation {
    /// Takes the answer to a command: `parameters` is the status, then the return parameters. `hidesAddress`: the
    /// controller's public address is not to be used.
    mutating func learn(
        _ opcode: HCIOpcode, _ parameters: ArraySlice<UInt8>, hidesAddress: Bool
    ) throws(DecodeError) {
        switch opcode {
        case .readLocalVersionInformation:
            if case .success(let answer) = try ReadLocalVersionInformation.decodeReturn(parameters) {
                hciVersion = answer.hciVersion
                companyIdentifier = answer.companyIdentifier
            }
        case .readLocalSupportedCommands:
            if case .success(let answer) = try ReadLocalSupportedCommands.decodeReturn(parameters) {
                commands = answer.commands
            }
        case .readLocalSupportedFeatures:
            if case .success(let answer) = try ReadLocalSupportedFeatures.decodeReturn(parameters) {
                hasLEFeature = answer.supportsLE
            }
        case .readBDADDR:
            if case .success(let answer) = try ReadBDADDR.decodeReturn(parameters) {
                // Two gateways in a room would share an unassigned address and look like a single gateway. An address
                // that we have given up is shown nowhere.
                let isUsed = !answer.address.isUnassigned && !hidesAddress
                address = isUsed ? answer.address : DeviceAddress(kind: .public, value: 0)
            }
        case .leReadLocalSupportedFeatures:
            if case .success(let answer) = try LEReadLocalSupportedFeatures.decodeReturn(parameters) {
                features = answer.features
            }
        case .leReadBufferSize:
            if case .success(let answer) = try LEReadBufferSize.decodeReturn(parameters) {
                (aclLength, aclCount) = (Int(answer.aclLength), Int(answer.aclCount))
            }
        case .readBufferSize:
            if case .success(let answer) = try ReadBufferSize.decodeReturn(parameters) {
                (aclLength, aclCount) = (Int(answer.aclLength), Int(answer.aclCount))
            }
        case .leReadFilterAcceptListSize:
            if case .success(let answer) = try LEReadFilterAcceptListSize.decodeReturn(parameters) {
                acceptListSize = Int(answer.size)
            }
        case .leReadResolvingListSize:
            if case .success(let answer) = try LEReadResolvingListSize.decodeReturn(parameters) {
                resolvingListSize = Int(answer.size)
            }
        case .leReadSupportedStates:
            if case .success(let answer) = try LEReadSupportedStates.decodeReturn(parameters) {
                states = answer.states
            }
        case .leReadMaximumAdvertisingDataLength:
            if case .success(let answer) = try LEReadMaximumAdvertisingDataLength.decodeReturn(parameters) {
                maximumAdvertisingData = max(31, min(Int(answer.length), 1650))
            }
        case .leReadNumberOfSupportedAdvertisingSets:
            if case .success(let answer) = try LEReadNumberOfSupportedAdvertisingSets.decodeReturn(parameters) {
                advertisingSets = max(1, Int(answer.count))
            }
        default:
            // The other commands of the set-up change the controller, and return no facts.
            break
        }
    }
}
