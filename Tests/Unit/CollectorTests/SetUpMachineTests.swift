// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Testing

@testable import Collector

@Suite("Set-up of a link")
struct SetUpMachineTests {
    static let environment = BluetoothUUID(0x181A as UInt16)
    static let battery = BluetoothUUID(0x180F as UInt16)
    static let temperature = BluetoothUUID(0x2A6E as UInt16)
    static let humidity = BluetoothUUID(0x2A6F as UInt16)
    static let level = BluetoothUUID(0x2A19 as UInt16)

    static func feed(_ service: BluetoothUUID, _ characteristic: BluetoothUUID) -> SensorRule.Feed {
        SensorRule.Feed(service: service, characteristic: characteristic)
    }

    static func found(_ token: Int, _ uuid: BluetoothUUID, subscribe: Bool = true, read: Bool = true)
        -> SetUpMachine.Found
    {
        SetUpMachine.Found(token: token, uuid: uuid, canSubscribe: subscribe, canRead: read)
    }

    @Test("The set-up looks only for the rule's characteristics; reads come before subscriptions")
    func order() {
        var machine = SetUpMachine(
            reads: [Self.feed(Self.battery, Self.level)],
            subscriptions: [
                Self.feed(Self.environment, Self.temperature), Self.feed(Self.environment, Self.humidity),
                Self.feed(Self.battery, Self.level),
            ])
        #expect(machine.begin() == [.discoverServices([Self.battery, Self.environment])])
        #expect(
            machine.foundServices([Self.environment, Self.battery]) == [
                .discoverCharacteristics([Self.temperature, Self.humidity], service: 0),
                .discoverCharacteristics([Self.level], service: 1),
            ])
        #expect(
            machine.foundCharacteristics([Self.found(0, Self.temperature), Self.found(1, Self.humidity)], service: 0)
                .isEmpty)
        #expect(machine.foundCharacteristics([Self.found(2, Self.level)], service: 1) == [.read(token: 2)])
        #expect(
            machine.didRead(token: 2, error: nil) == [.subscribe(token: 0), .subscribe(token: 1), .subscribe(token: 2)])
        #expect(machine.didSubscribe(token: 1, error: nil).isEmpty)
        #expect(machine.didSubscribe(token: 0, error: nil).isEmpty)
        #expect(machine.didSubscribe(token: 2, error: nil) == [.succeeded(missing: [])])
        #expect(machine.didSubscribe(token: 2, error: nil).isEmpty, "an answer that nobody waits for changes nothing")
        #expect(machine.failed("late").isEmpty)
    }

    /// Rows by whether the machine reads the value instead, and whether it expects the same answer next time.
    @Test(
        "the only subscription is refused: after a temporary error the next link asks again",
        arguments: [(false, false, false), (false, true, true), (true, false, true), (true, true, true)])
    func refusedSubscription(isRead: Bool, isLasting: Bool, goesOn: Bool) {
        var machine = SetUpMachine(reads: [], subscriptions: [Self.feed(Self.environment, Self.temperature)])
        _ = machine.begin()
        _ = machine.foundServices([Self.environment])
        _ = machine.foundCharacteristics([Self.found(0, Self.temperature)], service: 0)
        let effects = machine.refusedSubscription(token: 0, "no", isRead: isRead, isLasting: isLasting)
        let hasSucceeded = effects.contains { if case .succeeded = $0 { true } else { false } }
        let hasFailed = effects.contains { if case .failed = $0 { true } else { false } }
        #expect(hasSucceeded == goesOn && hasFailed == !goesOn, "\(effects)")
    }

    @Test("A missing characteristic is reported and does not stop the rest")
    func lenient() {
        var machine = SetUpMachine(
            reads: [],
            subscriptions: [
                Self.feed(Self.environment, Self.temperature), Self.feed(Self.environment, Self.humidity),
                Self.feed(Self.battery, Self.level),
            ])
        _ = machine.foundServices([Self.environment])
        let effects = machine.foundCharacteristics(
            [Self.found(0, Self.temperature), Self.found(1, Self.humidity, subscribe: false, read: false)], service: 0)
        #expect(effects == [.subscribe(token: 0)])
        #expect(
            machine.didSubscribe(token: 0, error: nil) == [
                .succeeded(missing: ["181A/2A6F neither notifies nor indicates", "180F/2A19 is not there"])
            ])
    }

    @Test func `a value that does not notify is read at intervals, and named by its place among several`() {
        var machine = SetUpMachine(reads: [], subscriptions: [Self.feed(Self.environment, Self.temperature)])
        _ = machine.foundServices([Self.environment])
        let effects = machine.foundCharacteristics(
            [Self.found(0, Self.temperature, subscribe: false), Self.found(1, Self.temperature)], service: 0)
        #expect(
            effects == [
                .place(token: 1, instance: 2), .number(token: 1, instance: 2), .readInstead(token: 0), .read(token: 0),
            ])
        #expect(machine.didRead(token: 0, error: nil) == [.subscribe(token: 1)])
        let told = "181A/2A6E#1 neither notifies nor indicates. The gateway reads the value at intervals"
        #expect(machine.didSubscribe(token: 1, error: nil) == [.succeeded(missing: [told])])
    }

    @Test("Additional characteristics are neither read nor reported as missing")
    func extras() {
        let wanted = [Self.feed(Self.environment, Self.temperature)]
        let extras = [Self.feed(Self.battery, Self.level)]
        var machine = SetUpMachine(reads: [], subscriptions: wanted, extras: extras)
        #expect(machine.begin() == [.discoverServices([Self.environment, Self.battery])])
        #expect(
            machine.foundServices([Self.environment, Self.battery]) == [
                .discoverCharacteristics([Self.temperature], service: 0),
                .discoverCharacteristics([Self.level], service: 1),
            ])
        #expect(!machine.isExtra(service: 0) && machine.isExtra(service: 1) && !machine.isExtra(service: 2))
        _ = machine.foundCharacteristics([Self.found(0, Self.temperature)], service: 0)
        #expect(machine.foundCharacteristics([Self.found(1, Self.level)], service: 1) == [.subscribe(token: 0)])
        #expect(machine.didSubscribe(token: 0, error: nil) == [.succeeded(missing: [])])
        var other = SetUpMachine(reads: [], subscriptions: wanted, extras: extras)
        #expect(other.foundServices([Self.battery]) == [.discoverAllServices], "nothing that is wanted is there")
    }

    @Test("Two characteristics of one kind are both subscribed to")
    func twins() {
        var machine = SetUpMachine(reads: [], subscriptions: [Self.feed(Self.environment, Self.temperature)])
        _ = machine.foundServices([Self.environment, Self.environment])
        #expect(
            machine.foundCharacteristics(
                [Self.found(0, Self.temperature), Self.found(1, Self.temperature)], service: 1
            ).isEmpty)
        #expect(
            machine.foundCharacteristics([Self.found(2, Self.temperature)], service: 0)
                == [
                    .place(token: 0, instance: 2), .place(token: 1, instance: 3), .number(token: 0, instance: 2),
                    .number(token: 1, instance: 3), .subscribe(token: 0),
                    .subscribe(token: 1), .subscribe(token: 2),
                ])
    }

    @Test("A rule names one of several characteristics of one kind, and a new one at its end changes no number")
    func instances() {
        let second = SensorRule.Feed(service: Self.environment, characteristic: Self.temperature, instance: 2)
        var machine = SetUpMachine(reads: [Self.feed(Self.battery, Self.temperature)], subscriptions: [second])
        _ = machine.foundServices([Self.battery, Self.environment])
        #expect(
            machine.foundCharacteristics(
                [Self.found(0, Self.temperature), Self.found(1, Self.temperature), Self.found(2, Self.temperature)],
                service: 1
            ).isEmpty)
        let found = machine.foundCharacteristics([Self.found(3, Self.temperature)], service: 0)
        #expect(
            found == [
                .leaveOut(token: 0), .place(token: 1, instance: 2), .place(token: 2, instance: 3), .leaveOut(token: 2),
                .number(token: 0, instance: 2),
                .number(token: 1, instance: 3), .number(token: 2, instance: 4), .read(token: 3),
            ])
        #expect(machine.didRead(token: 3, error: nil) == [.subscribe(token: 1)])
        var missing = SetUpMachine(reads: [], subscriptions: [Self.feed(Self.environment, Self.humidity), second])
        _ = missing.foundServices([Self.environment])
        let effects = missing.foundCharacteristics(
            [Self.found(0, Self.humidity), Self.found(1, Self.temperature)], service: 0)
        #expect(effects == [.leaveOut(token: 1), .subscribe(token: 0)])
        #expect(missing.didSubscribe(token: 0, error: nil) == [.succeeded(missing: ["181A/2A6E#2 is not there"])])
    }

    @Test("A sensor with nothing to offer is a failure")
    func failures() {
        var none = SetUpMachine(reads: [], subscriptions: [Self.feed(Self.environment, Self.temperature)])
        #expect(none.foundServices([Self.battery]) == [.discoverAllServices])
        let lacks = "the sensor has no environmental_sensing (181A)"
        var (other, bare, silent, full) = (none, none, none, none)
        let generic = [BluetoothUUID(0x1800 as UInt16), BluetoothUUID(0x1801 as UInt16)]
        #expect(none.foundServices(generic + [Self.battery]) == [.failed(lacks + "; it has battery_service (180F)")])
        #expect(bare.foundServices(generic) == [.failed(lacks + "; it has no services")])
        #expect(silent.failed("no answer") == [.failed(lacks)])
        let found = SetUpMachine.Effect.discoverCharacteristics([Self.temperature], service: 1)
        #expect(other.foundServices([Self.battery, Self.environment]) == [found], "it came meanwhile")
        let many = (0..<300).map { BluetoothUUID(0xFE00 + $0 as UInt16) }
        let text = (0..<8).map { "FE0\($0)" }.joined(separator: ", ")
        #expect(full.foundServices(many) == [.failed(lacks + "; it has \(text) and 292 more")])

        var empty = SetUpMachine(reads: [], subscriptions: [Self.feed(Self.environment, Self.temperature)])
        _ = empty.foundServices([Self.environment])
        #expect(empty.foundCharacteristics([], service: 0) == [.discoverAllCharacteristics(service: 0)])
        #expect(empty.surveysCharacteristics(ofService: 0) && !empty.awaitsCharacteristics(ofService: 0))
        var unanswered = empty
        #expect(unanswered.failed("no answer") == [.failed("181A/2A6E is not there")])
        #expect(empty.surveyed([Self.level], service: 1).isEmpty)
        #expect(empty.surveyed([Self.level], service: 0) == [.failed("181A/2A6E is not there; it has 181A/2A19")])

        var refused = SetUpMachine(reads: [], subscriptions: [Self.feed(Self.environment, Self.temperature)])
        _ = refused.foundServices([Self.environment])
        _ = refused.foundCharacteristics([Self.found(0, Self.temperature)], service: 0)
        #expect(refused.didSubscribe(token: 0, error: "refused") == [.failed("181A/2A6E: refused")])

        var broken = SetUpMachine(reads: [], subscriptions: [Self.feed(Self.environment, Self.temperature)])
        #expect(broken.failed("no answer") == [.failed("no answer")])
        #expect(broken.foundServices([Self.environment]).isEmpty)
    }

    @Test("Services that change meanwhile are found again, and the former services are forgotten")
    func servicesChanged() {
        var machine = SetUpMachine(
            reads: [Self.feed(Self.battery, Self.level)],
            subscriptions: [Self.feed(Self.environment, Self.temperature)])
        _ = machine.foundServices([Self.environment, Self.battery])
        _ = machine.foundCharacteristics([Self.found(0, Self.temperature)], service: 0)
        #expect(
            machine.foundServices([Self.battery, Self.environment]) == [
                .discoverCharacteristics([Self.level], service: 0),
                .discoverCharacteristics([Self.temperature], service: 1),
            ])
        #expect(machine.awaitsCharacteristics(ofService: 0) && machine.awaitsCharacteristics(ofService: 1))
        #expect(machine.foundCharacteristics([Self.found(1, Self.level)], service: 0).isEmpty)
        #expect(!machine.awaitsCharacteristics(ofService: 0))
        #expect(machine.foundCharacteristics([Self.found(2, Self.temperature)], service: 1) == [.read(token: 1)])
        #expect(machine.foundServices([Self.battery]).isEmpty, "too late to matter")
        #expect(machine.didRead(token: 1, error: nil) == [.subscribe(token: 2)])
        #expect(machine.didSubscribe(token: 2, error: nil) == [.succeeded(missing: [])])
    }

    @Test("A notifying characteristic is not read: the answer would look like a notification")
    func notifyingAlready() {
        var machine = SetUpMachine(
            reads: [Self.feed(Self.battery, Self.level)], subscriptions: [Self.feed(Self.battery, Self.level)])
        _ = machine.foundServices([Self.battery])
        var level = Self.found(0, Self.level)
        level.isNotifying = true
        #expect(machine.foundCharacteristics([level], service: 0) == [.subscribe(token: 0)])
        #expect(machine.didSubscribe(token: 0, error: nil) == [.succeeded(missing: [])])
    }

    @Test("A value ends a read only while a read is pending, and a notification never does")
    func readTally() {
        var tally = ReadTally()
        #expect(tally.takes(isAnswer: true) == false, "nothing was asked")
        tally.asked()
        #expect(tally.takes(isAnswer: false) == false, "a notification")
        #expect(tally.takes(isAnswer: true) == true)
        #expect(tally.takes(isAnswer: true) == false, "each read has one answer")
    }

    @Test("Candidates without an answer go first, the oldest of them first; a linked candidate stays")
    func candidates() {
        func standing(
            _ order: UInt64, connected: Bool = false, linked: Bool = false, mute: Bool = false
        ) -> CandidateBound.Standing {
            CandidateBound.Standing(hasAnswered: connected, isMute: mute, isLinked: linked, order: order)
        }
        #expect(CandidateBound.leastPromising([]) == nil)
        #expect(CandidateBound.leastPromising([standing(1, connected: true, linked: true)]) == nil)
        #expect(CandidateBound.leastPromising([standing(1, connected: true), standing(3), standing(2)]) == 2)
        #expect(CandidateBound.leastPromising([standing(2, connected: true), standing(1, connected: true)]) == 1)
        // A silent stranger with a link has had its chance.
        #expect(CandidateBound.leastPromising([standing(1), standing(3, mute: true), standing(2, mute: true)]) == 2)
    }

    @Test("A rule accepts a device that meets all its criteria, and a rule without criteria accepts none")
    func rules() {
        let candidate = SensorRule.Candidate(
            name: "Heart 7", address: 0xC47C_8D00_1122, identifier: .init(), services: [Self.battery])
        var rule = SensorRule()
        #expect(!rule.accepts(candidate))
        rule.name = "Heart*"
        #expect(rule.accepts(candidate))
        rule.service = Self.battery
        #expect(rule.accepts(candidate))
        rule.service = Self.environment
        #expect(!rule.accepts(candidate))
        rule.service = nil
        rule.name = "Heart"
        #expect(!rule.accepts(candidate))
        rule.name = nil
        rule.address = 0xC47C_8D00_1122
        #expect(rule.accepts(candidate) && rule.isSingle)
    }
}
