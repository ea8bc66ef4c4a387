// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Testing
import VirtualRadio

@testable import BluetoothHost
@testable import Collector
@testable import HostBench

/// Each fault of a controller, in virtual time. All sensors send, so a gateway that calls one of them silent is wrong.
@Suite("A fault of the radio is no silence of a sensor")
struct FaultBlameTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let fault: ControllerFault
        var testDescription: String { fault.rawValue }

        /// The controller on which the fault means something.
        var preset: ControllerPreset {
            switch fault {
            case .scanRefusedWhileLinked, .extendedUnknown, .extendedScanRefused, .extendedConnectionRefused: .rtl8761b
            case .scanStopRefused, .connectFailsAfterAdvertising: .bcm43455
            case .listedAndRefused: .csr8510
            case .sharedBuffers, .sharedCompletions: .dualMode
            default: .standard
            }
        }

        /// One sensor of four would get no link at all.
        var sensors: UInt64 { fault == .resetAtFourthLink ? 3 : 4 }

        /// Seconds. No transport is opened again here.
        var lasts: Int64 { fault.persistence == .untilReopened ? 110 : 200 }

        /// The link of sensor 1 ends as the fault begins, and its event is lost on the line.
        var losesLink: Bool { fault == .lostOctets }
    }

    @Test(arguments: ControllerFault.allCases.map(Row.init))
    func `no sensor is silent while the controller has`(row: Row) {
        let gateway = JudgingHost(row.preset.settings, sensors: row.sensors)
        gateway.run(for: 30)
        #expect(gateway.areFresh, "before the fault")
        gateway.strike(row.fault)
        gateway.run(for: row.lasts)
        let blames = gateway.blames.filter { !row.losesLink || !$0.hasPrefix("1 ") }
        #expect(blames.isEmpty, "\(blames.prefix(5))")
        #expect(gateway.isExplained)
    }

    @Test func `a sensor that sends nothing is silent, as long as others are heard`() {
        let gateway = JudgingHost(ControllerSettings(), sensors: 2)
        gateway.run(for: 30)
        gateway.mute(3)
        gateway.run(for: 12)
        #expect(gateway.blames == ["3 after 10 s"], "\(gateway.blames)")
    }
}

/// A host in virtual time, judged and brought back like on the radio thread, with the states of its sensors by the
/// collector's rules.
private final class JudgingHost {
    /// A sensor with the state by its entry's limit, and by its usual interval.
    private struct Judged {
        var standings = [SensorStanding(), SensorStanding()]
        var lastValue: Int64?
        var isLinked = false
    }

    private static let limits = SilenceLimits()
    private let collection: Collection
    private var watch = RadioWatch()
    private var trouble: RadioTrouble?
    private var outage = RadioOutage()
    private var sensors: [UInt64: Judged] = [:]
    private let advertiser: UInt64
    private var links: [LinkID: UInt64] = [:]
    private var seen = (events: 0, values: 0, advertisements: 0)
    private var judgedAt: Int64 = 0
    private var muted: Set<UInt64> = []
    /// Sensors that were called silent.
    private(set) var blames: [String] = []
    /// Whenever a state was unknown, the radio did not work or was in question.
    private(set) var isExplained = true

    private var simulation: Simulation { collection.simulation }
    private var now: Int64 { simulation.now.wholeMilliseconds }

    /// Values of all sensors come.
    var areFresh: Bool { sensors.values.allSatisfy { $0.standings.allSatisfy { $0.state == .fresh } } }

    init(_ settings: ControllerSettings, sensors count: UInt64) {
        collection = Collection(Simulation(controller: settings), sensors: count)
        advertiser = count + 1
        for number in 1...advertiser { sensors[number] = Judged() }
        collection.caretaker = { [unowned self] in mind() }
        collection.begin()
    }

    /// Seconds.
    func run(for limit: Int64) { collection.run(for: .seconds(limit)) }

    func strike(_ fault: ControllerFault) {
        simulation.air.simulate(fault, of: simulation.controller)
        collection.provoke()
    }

    /// The values of a sensor do not count any more.
    func mute(_ number: UInt64) { muted.insert(number) }

    private func mind() {
        if simulation.host.state == .resetting, !simulation.host.isStarting {
            recover(from: .failure(simulation.host.failureReason))
        }
        if let trouble = watch.look(at: &simulation.host, at: simulation.now) { recover(from: trouble) }
        if watch.cure(of: simulation.host, at: simulation.now) != nil { trouble = nil }
        take()
        guard now - judgedAt >= 500 else { return }
        judgedAt = now
        judge()
    }

    private func recover(from trouble: RadioTrouble) {
        let now = simulation.now
        self.trouble = trouble
        guard case .take(let step) = watch.decide(about: trouble, available: [.scan, .reset], at: now) else { return }
        _ = RadioWatch.perform(step, against: trouble, on: &simulation.host, at: now)
    }

    /// Takes events and values since the last turn.
    private func take() {
        for event in simulation.events[seen.events...] {
            switch event {
            case .connected(let link, let peer, _):
                links[link] = number(of: peer)
                number(of: peer).map { sensors[$0]?.isLinked = true }
            case .disconnected(let link, let peer, _, _):
                if let link { links[link] = nil }
                number(of: peer).map { sensors[$0]?.isLinked = false }
            default: break
            }
        }
        for value in simulation.values[seen.values...] { links[value.link].map(came) }
        for heard in simulation.advertisements[seen.advertisements...] where number(of: heard.address) == advertiser {
            came(advertiser)
        }
        seen = (simulation.events.count, simulation.values.count, simulation.advertisements.count)
    }

    private func number(of peer: DeviceAddress) -> UInt64? {
        sensors.keys.first { Simulation.sensor($0) == peer }
    }

    private func came(_ number: UInt64) {
        if !muted.contains(number) { sensors[number]?.lastValue = now }
    }

    private func judge() {
        let isWorking = simulation.host.state == .ready && trouble == nil
        let signs = RadioOutage.Signs(
            advert: watch.lastHeard?.wholeMilliseconds, link: watch.lastReceived?.wholeMilliseconds)
        outage.look(isWorking: isWorking, hearing: signs, at: now, Self.limits)
        for (number, former) in sensors {
            var sensor = former
            var facts = SensorFacts(began: 0)
            facts.lastValue = sensor.lastValue
            facts.radio = outage.fact(at: now, Self.limits)
            facts.pauses = outage.pauses(at: now, Self.limits)
            facts.heardAt = signs.last(isLinked: sensor.isLinked)
            facts.isRefused = number == advertiser && simulation.host.refusedUses.contains { $0.use == .scan }
            for place in sensor.standings.indices {
                // Links need some seconds to come back, while others are heard already.
                let patience: Int64 = number == advertiser ? 10_000 : 30_000
                if place == 0 { facts.silentAfter = patience } else { (facts.silentAfter, facts.usual) = (nil, 1_000) }
                if number != advertiser { sensor.standings[place].recordLink(isSought: !sensor.isLinked, at: now) }
                let wasLinked = sensor.isLinked && !sensor.standings[place].wasSought
                facts.deafness = outage.deafness(isLinked: wasLinked, at: now, Self.limits)
                guard let change = sensor.standings[place].update(facts, at: now, Self.limits) else { continue }
                if change.to == .silent { blames.append("\(number) after \((change.quietMs ?? 0) / 1_000) s") }
                if change.to == .unknown, isWorking, outage.fact(at: now, Self.limits) == .works {
                    isExplained = isExplained && (sensor.standings[place].unheardSince ?? facts.deafness?.since) != nil
                }
            }
            sensors[number] = sensor
        }
    }
}
