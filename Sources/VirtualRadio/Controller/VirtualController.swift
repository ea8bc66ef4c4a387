// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

/// One LE controller: H4 on the host's side, a radio on the other. Central and Peripheral at once.
final class VirtualController: AirNode {
    unowned let air: VirtualAir
    let id: AirNodeID
    let publicAddress: DeviceAddress
    let settings: ControllerSettings
    /// The commands that the controller refuses now.
    var refusals: [HCIOpcode: CommandRefusal]

    var host = HostSettings()
    var output: [UInt8] = []
    var violations = Violations()
    var isInRange = true
    var isSilent = false
    /// Answers only Reset.
    var isWedged = false
    var faults: FaultState

    private var input: [UInt8] = []
    /// The stream is broken: the controller skips all octets up to an HCI Reset.
    private var isOutOfStep = false
    private var commands = FIFO<(opcode: HCIOpcode, parameters: ArraySlice<UInt8>)>()
    var handles = ConnectionHandles()
    /// Increases whenever the reason for an occasion has changed.
    var generations: [UInt8?: UInt32] = [:]
    var scanGeneration: UInt32 = 0
    /// Links on which the host owes an answer to LE Remote Connection Parameter Request.
    var openParameterRequests: Set<UInt16> = []
    /// Effects of the present command that follow right after its answer.
    var afterAnswer: [() -> Void] = []

    init(air: VirtualAir, id: AirNodeID, address: DeviceAddress, settings: ControllerSettings) {
        self.air = air
        self.id = id
        publicAddress = DeviceAddress(kind: .public, value: address.value)
        self.settings = settings
        refusals = settings.refusals
        faults = FaultState(settings.faults)
    }

    var signalStrength: Int8 { settings.signalStrength }
    var acceptsData: Bool { output.count < settings.outputLimit }
    var wantedTransmitOctets: Int { Int(host.suggestedTransmitOctets) }

    var leFeatures: LEFeatures {
        var features: LEFeatures = [
            .encryption, .connectionParametersRequest, .peripheralInitiatedFeaturesExchange, .dataPacketLengthExtension,
            .le2M,
        ]
        if settings.extendedAdvertising { features.formUnion([.extendedAdvertising, .channelSelectionAlgorithm2]) }
        if settings.resolvingListSize > 0 { features.insert(.llPrivacy) }
        if settings.codedPHY { features.insert(.leCoded) }
        return features.subtracting(LEFeatures(rawValue: settings.missingFeatures))
    }

    func forgetLinks() { host.links = [:] }

    // MARK: Octets

    func takeOutput() -> [UInt8] {
        defer { output = [] }
        return output
    }

    func receive(_ octets: some Collection<UInt8>) {
        guard !isSilent else { return }
        input.append(contentsOf: octets)
        loseCommandOctets(of: &input)
        var start = 0
        while start < input.count {
            if isOutOfStep {
                guard let reset = indexOfReset(from: start) else {
                    start = max(start, input.count - 3)
                    break
                }
                start = reset
                isOutOfStep = false
            }
            let next = H4Framer.next(input.span.bytes.extracting(start..<input.count))
            guard case .packet(let type, let length) = next else {
                guard case .unknownType(let octet) = next else { break }
                violations.record("octet \(octet) is no H4 packet type")
                isOutOfStep = true
                emit(.hardwareError, [0])
                continue
            }
            accept(type, input[(start + 1)..<(start + length)])
            start += length
        }
        input.removeFirst(start)
        answerCommands()
    }

    /// Core 5.4, Vol 4, Part A, 4: a controller that lost synchronisation looks for a Reset.
    private func indexOfReset(from start: Int) -> Int? {
        let reset: [UInt8] = [1, 0x03, 0x0C, 0]
        guard input.count >= start + reset.count else { return nil }
        return (start...(input.count - reset.count)).first { input[$0..<($0 + reset.count)].elementsEqual(reset) }
    }

    private func accept(_ type: HCIPacketType, _ packet: ArraySlice<UInt8>) {
        switch type {
        case .command:
            let opcode = HCIOpcode(
                rawValue: UInt16(packet[packet.startIndex]) | UInt16(packet[packet.startIndex + 1]) << 8)
            // Vol 4, Part E, 4.4: Host Number Of Completed Packets needs no credit.
            if commands.count >= Int(settings.commandCredits), opcode != .hostNumberOfCompletedPackets {
                violations.record("command \(opcode) sent without a credit: \(commands.count) are outstanding")
            }
            commands.append((opcode, packet.dropFirst(3)))
        case .aclData:
            receiveACLData(packet)
        case .synchronousData, .isoData, .event:
            violations.record("the host sent a packet of type \(type)")
        }
    }

    /// The answers come after all read octets are processed: a command behind another command was sent too early.
    private func answerCommands() {
        while let command = commands.first {
            execute(command.opcode, command.parameters)
        }
    }

    private func execute(_ opcode: HCIOpcode, _ parameters: ArraySlice<UInt8>) {
        let result = isWedged && opcode != .reset ? .none : answer(to: opcode, parameters)
        commands.popFirst()
        guard !isWedged else { return }
        let credits = UInt8(clamping: max(0, Int(settings.commandCredits) - commands.count))
        switch result {
        case .none:
            break
        case .complete(let returned):
            emitAnswer(.commandComplete, [credits] + opcode.octets + returned)
        case .status(let status):
            emitAnswer(.commandStatus, [status.rawValue, credits] + opcode.octets)
        }
        let actions = afterAnswer
        afterAnswer = []
        for action in actions { action() }
    }

    // MARK: Time

    func occur(_ occasion: NodeOccasion, generation: UInt32) {
        switch occasion {
        case .advertise(let set):
            if generation == generations[set] { advertise(set: set, generation: generation) }
        case .advertisingEnds(let set):
            if generation == generations[set] { endAdvertising(set: set, status: .advertisingTimeout) }
        case .scanEnds:
            if generation == scanGeneration { endScan() }
        case .fault(let timer): faultTimerFired(timer)
        case .sample, .confirmationOverdue, .resumeAdvertising:
            break  // a sensor's
        }
    }

    // MARK: Addresses

    /// The address of the given own address type. For types 2 and 3, the address if the resolving list has no key of
    /// ours for the peer.
    func ownAddress(type: UInt8, random: DeviceAddress?) throws(HCIStatus) -> DeviceAddress {
        switch type {
        case 2 where settings.resolvingListSize == 0, 3 where settings.resolvingListSize == 0:
            throw .unsupportedFeature
        case 0, 2: return publicAddress
        case 1, 3:
            guard let random else { throw .invalidCommandParameters }
            return random
        default: throw .invalidCommandParameters
        }
    }

    func isInAcceptList(_ device: SeenDevice) -> Bool { host.acceptList.contains(device.name) }
}

extension HCIOpcode {
    var octets: [UInt8] { [UInt8(truncatingIfNeeded: rawValue), UInt8(truncatingIfNeeded: rawValue >> 8)] }
}
