// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import HCI
import Testing

/// The commands of the initiator machine, as scripts.
struct InitiatorMachineTests {
    private static let one = DeviceAddress(kind: .random, value: 0xC000_0000_0001)
    private static let two = DeviceAddress(kind: .random, value: 0xC000_0000_0002)

    enum Step: Sendable {
        case want(DeviceAddress)
        case unwant(DeviceAddress)
        case sighted(DeviceAddress)
        case suspend(Bool)
        /// Time since the start.
        case at(Duration)
        /// The machine asks for this effect, and gets an answer.
        case does(InitiatorMachine.Effect?, HCIStatus = .success)
        /// The machine asks for this effect, and gets no answer yet.
        case asks(InitiatorMachine.Effect?)
        case answered(HCIStatus)
        case completed(HCIStatus, DeviceAddress)
        case initiates(Bool)
        /// The machine's deadline, as time since the start.
        case wakes(Duration?)
    }

    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var capacity = 4
        let steps: [Step]
    }

    private static let create = Step.does(.create(.filterAcceptList))
    private static let cancelled = Step.completed(.unknownConnectionIdentifier, one)
    private static let begun: [Step] = [.want(one), .does(.clearList), .does(.addToList(one)), create]

    static let rows = [
        Row(
            testDescription: "the list is filled before it is used",
            steps: [
                .want(one), .want(two), .does(.clearList), .does(.addToList(one)), .does(.addToList(two)), create,
                .does(nil), .initiates(true), .wakes(nil),
            ]),
        Row(
            testDescription: "a change of the list cancels first",
            steps: begun + [.want(two), .does(.cancel), .does(nil), cancelled, .does(.addToList(two)), create]),
        Row(
            testDescription: "a connection that was not established holds nobody up; what else goes wrong does",
            steps: [
                .want(one), .want(two), .does(.clearList), .does(.addToList(one)), .does(.addToList(two)), create,
                .completed(.connectionFailedToBeEstablished, one), create, .completed(.connectionTimeout, one),
                .does(nil), .wakes(InitiatorMachine.retryDelay),
            ]),
        Row(
            testDescription: "a cancel that comes too late is no error",
            steps: begun + [
                .unwant(one), .asks(.cancel), .completed(.success, one), .answered(.commandDisallowed), .asks(nil),
                .initiates(false),
            ]),
        wantedAgain(isAnswered: false), wantedAgain(isAnswered: true),
        Row(
            testDescription: "the answer to a cancel that came too late is not taken for another command's",
            steps: begun + [
                .want(two), .asks(.cancel), .completed(.success, one), .asks(nil), .answered(.commandDisallowed),
                .does(.removeFromList(one)), .does(.addToList(two)), create, .initiates(true),
            ]),
        Row(
            testDescription: "a fresh sighting is connected to directly, for three seconds",
            steps: [
                .want(one), .does(.clearList), .sighted(one), .does(.create(.peer(one))), .wakes(.seconds(3)),
                .at(.seconds(3)), .does(.cancel), cancelled, .does(.addToList(one)),
            ]),
        Row(
            testDescription: "peers beyond the list have their turn", capacity: 1,
            steps: [
                .want(one), .want(two), .does(.clearList), .does(.addToList(one)), create, .wakes(.seconds(10)),
                .at(.seconds(10)), .does(.cancel), cancelled, .does(.removeFromList(one)), .does(.addToList(two)),
            ]),
        Row(
            testDescription: "an error is followed by a pause and a fresh start",
            steps: [
                .want(one), .does(.clearList), .does(.addToList(one), .memoryCapacityExceeded), .asks(nil),
                .wakes(.milliseconds(500)), .at(.milliseconds(500)), .does(.clearList),
            ]),
        Row(
            testDescription: "a list that the controller does not know is done without: one peer after the other",
            steps: [
                .want(one), .want(two), .does(.clearList, .unknownCommand), .does(.create(.peer(one))),
                .wakes(.seconds(10)), .at(.seconds(10)), .does(.cancel), cancelled, .does(.create(.peer(two))),
                .unwant(one), .does(nil), .wakes(.seconds(20)), .unwant(two), .does(.cancel), cancelled, .does(nil),
            ]),
        Row(
            testDescription: "a list that is busy is tried three times",
            steps: [
                .want(one), .does(.clearList, .commandDisallowed), .does(nil), .at(.milliseconds(500)),
                .does(.clearList, .commandDisallowed), .at(.seconds(1)), .does(.clearList, .commandDisallowed),
                .does(.create(.peer(one))), .wakes(nil),
            ]),
        Row(
            testDescription: "a list with less room than was said is used as it is",
            steps: [
                .want(one), .want(two), .does(.clearList), .does(.addToList(one)),
                .does(.addToList(two), .memoryCapacityExceeded), create, .wakes(.seconds(10)), .at(.seconds(10)),
                .does(.cancel), cancelled, .does(.removeFromList(one)), .does(.addToList(two)), create,
            ]),
        Row(
            testDescription: "a connection that the controller refuses is asked for ever more rarely",
            steps: [
                .want(one), .does(.clearList), .does(.addToList(one)),
                .does(.create(.filterAcceptList), .unknownCommand),
                .does(nil), .wakes(.seconds(30)), .unwant(one), .want(one), .does(nil), .at(.seconds(30)),
                .does(.clearList), .does(.addToList(one)), .does(.create(.filterAcceptList), .unknownCommand),
                .wakes(.seconds(90)),
            ]),
        Row(
            testDescription: "an attempt that cannot be cancelled goes on, and is cancelled again",
            steps: begun + [
                .unwant(one), .does(.cancel, .unspecifiedError), .initiates(true), .does(nil),
                .wakes(.milliseconds(500)), .at(.milliseconds(500)), .does(.cancel), cancelled, .initiates(false),
            ]),
        Row(
            testDescription: "a suspended machine gives the radio up",
            steps: begun + [.suspend(true), .does(.cancel), cancelled, .asks(nil), .suspend(false), create]),
    ]

    /// The controller still initiates. It would refuse another attempt, and any change of its list.
    private static func wantedAgain(isAnswered: Bool) -> Row {
        let (before, after): ([Step], [Step]) = isAnswered ? ([.answered(.success)], []) : ([], [.answered(.success)])
        let held: [Step] = [.want(one), .sighted(one), .asks(nil), .initiates(true), .wakes(nil)]
        let later: [Step] = [.at(.seconds(60)), .asks(nil), .initiates(true), .at(.zero)]
        return Row(
            testDescription: "a peer that is wanted again while the cancel still ends, answered \(isAnswered)",
            steps: begun + [.unwant(one), .asks(.cancel)] + before + held + after + later
                + [cancelled, .initiates(false), create, .initiates(true)])
    }

    @Test(arguments: rows) func `the controller is asked for one thing after the other`(row: Row) {
        var machine = InitiatorMachine(capacity: row.capacity)
        var time = MonotonicTime.zero
        for (index, step) in row.steps.enumerated() {
            var isSo = true
            switch step {
            case .want(let peer): machine.want(peer)
            case .unwant(let peer): machine.unwant(peer)
            case .sighted(let peer): machine.sighted(peer, at: time)
            case .suspend(let isSuspended): machine.suspend(isSuspended)
            case .at(let duration): time = .zero + duration
            case .does(let effect, let status):
                isSo = machine.next(at: time) == effect
                if effect != nil { machine.answered(status, at: time) }
            case .asks(let effect): isSo = machine.next(at: time) == effect
            case .answered(let status): machine.answered(status, at: time)
            case .completed(let status, let peer): machine.completed(status, peer: peer, at: time)
            case .initiates(let initiates): isSo = machine.isInitiating == initiates
            case .wakes(let duration): isSo = machine.deadline == duration.map { .zero + $0 }
            }
            #expect(isSo, "step \(index), \(step)")
        }
    }
}
