// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore
import GATT
import HCI
import Testing
import VirtualRadio

@testable import BluetoothHost
@testable import HostBench

/// Each fault of real controllers meets a host that collects from four sensors and listens to a fifth.
struct ControllerFaultTests {
    /// The cost of a fault.
    struct Row: Sendable, CustomTestStringConvertible {
        let fault: ControllerFault
        var preset = ControllerPreset.standard
        /// Seconds until the fault strikes; nil: the controller has the fault from the start.
        var strikes: Int64? = 30
        /// Times the host has to start the controller again.
        var restarts: ClosedRange<Int> = 0...0

        var testDescription: String { "\(fault.rawValue) on \(preset.rawValue)" }
    }

    static let rows = [
        Row(fault: .scanStopRefused, strikes: nil),
        Row(fault: .unansweredFeatures, strikes: 0, restarts: 1...1),
        Row(fault: .unansweredScanEnable, restarts: 1...1),
        Row(fault: .lateAnswers, strikes: nil),
        Row(fault: .doubledAnswers, strikes: nil),
        Row(fault: .listedAndRefused, strikes: nil),
        Row(fault: .listedAndRefused, preset: .csr8510, strikes: nil),
        Row(fault: .cancelLoses, strikes: nil),
        Row(fault: .scanRefusedWhileLinked, preset: .rtl8761b, restarts: 1...1),
        Row(fault: .extendedUnknown, preset: .rtl8761b, strikes: nil, restarts: 1...1),
        Row(fault: .extendedScanRefused, preset: .rtl8761b, strikes: nil, restarts: 1...1),
        Row(fault: .extendedConnectionRefused, preset: .rtl8761b, strikes: nil, restarts: 1...2),
        Row(fault: .optionalUnanswered, strikes: nil, restarts: 2...2),
        Row(fault: .sharedBuffers, preset: .dualMode, strikes: nil),
        Row(fault: .sharedCompletions, preset: .dualMode, strikes: nil),
        Row(fault: .eventZero, strikes: nil),
        Row(fault: .batchedReports, strikes: nil),
        Row(fault: .batchedReports, preset: .rtl8761b, strikes: nil),
        Row(fault: .dataOvertakesEvents, strikes: nil),
        Row(fault: .hardwareError, restarts: 1...1),
        Row(fault: .lostCommandOctets, restarts: 1...2),
        Row(fault: .connectFailsAfterAdvertising, preset: .bcm43455, strikes: nil),
        Row(fault: .scanStopRefused, preset: .cyw43438, strikes: nil),
    ]

    @Test(arguments: rows) func `the host gets on with a controller that`(row: Row) throws {
        var settings = row.preset.settings
        if row.strikes == nil { settings.faults.insert(row.fault) }
        let collection = Collection(Simulation(controller: settings), sensors: 4)
        if row.strikes == 0 { collection.simulation.air.simulate(row.fault, of: collection.simulation.controller) }
        collection.begin()
        collection.run(for: .seconds(30))
        if let strikes = row.strikes, strikes > 0 {
            #expect(collection.silent(for: .seconds(10)) == [])
            collection.simulation.air.simulate(row.fault, of: collection.simulation.controller)
            collection.provoke()
        }
        collection.run(for: .seconds(150))
        #expect(collection.simulation.host.state == .ready)
        #expect(row.restarts.contains(collection.restarts), "\(collection.restarts) restarts")
        #expect(collection.silent(for: .seconds(20)) == [], "links")
        #expect(collection.heard(within: .seconds(20)), "nothing was heard")
        // Every value that reached the controller has reached the client: the links that a restart ends lose nothing in
        // the host.
        let unchanged = row.fault.layer == .controller && row.restarts == 0...0
        if unchanged { #expect(collection.simulation.values.count == collection.delivered) }
        // Lost octets look like a fault of the host. If an answer is repeated, the repeat seems to answer the next
        // command of this kind.
        guard row.fault != .lostCommandOctets, row.fault != .doubledAnswers else { return }
        #expect(collection.simulation.air.violations(of: collection.simulation.controller) == [])
    }

    @Test func `a scanner that stopped by itself refuses to be stopped, and is started again`() {
        let simulation = Simulation(controller: ControllerPreset.bcm43455.settings)
        _ = simulation.addSensor(1)
        simulation.host.setScan(ScanDemand(services: nil), for: Simulation.client, at: simulation.now)
        simulation.run(for: .seconds(5)) { !simulation.advertisements.isEmpty }
        simulation.air.simulate(.scannerStops, of: simulation.controller)
        // No client listens, then a client does. The host stops a scan that does not run, and has to begin anew.
        simulation.host.setScan(nil, for: Simulation.client, at: simulation.now)
        simulation.run(for: .seconds(2))
        simulation.forget()
        simulation.host.setScan(ScanDemand(services: nil), for: Simulation.client, at: simulation.now)
        #expect(simulation.run(for: .seconds(10)) { !simulation.advertisements.isEmpty })
        #expect(simulation.host.state == .ready)
    }

    @Test(arguments: [HCIStatus.unspecifiedError, .hardwareFailure, .unknownCommand, .unsupportedFeature])
    func `one that will not say what it has has failed, one that does not know the question has no LE`(
        status: HCIStatus
    ) {
        var settings = ControllerSettings()
        let questions = [.readLocalSupportedFeatures, .leReadLocalSupportedFeatures, .leReadBufferSize] as [HCIOpcode]
        for question in questions { settings.refusals[question] = .status(status) }
        let simulation = Simulation(controller: settings)
        simulation.run(for: .seconds(1))
        let isKnown = status == .unspecifiedError || status == .hardwareFailure
        #expect(simulation.host.state == (isKnown ? .resetting : .unsupported))
        if isKnown { #expect(simulation.host.failureReason.contains("refused"), "\(simulation.host.failureReason)") }
    }

    @Test func `a cancelled connection that comes up all the same is ended when nobody wants it any more`() {
        let simulation = Simulation(controller: ControllerSettings(faults: [.cancelLoses]))
        let sensor = simulation.addSensor(1)
        simulation.air.simulateOutOfRange(sensor)
        simulation.host.connect(Simulation.sensor(1), for: Simulation.client, at: simulation.now)
        simulation.run(for: .seconds(5))
        simulation.air.simulateInRange(sensor)
        simulation.host.disconnect(Simulation.sensor(1), for: Simulation.client, at: simulation.now)
        simulation.run(for: .seconds(20))
        #expect(simulation.connections == 0 && !simulation.host.hasLinks)
        // The host connects to the sensor after a new wish.
        simulation.host.connect(Simulation.sensor(1), for: Simulation.client, at: simulation.now)
        #expect(simulation.run(for: .seconds(20)) { simulation.connections == 1 })
    }

    @Test func `a controller that fails each connection after advertising is not let initiate while it advertises`() {
        var settings = ControllerPreset.bcm43455.settings
        settings.company = 0xFFFF
        let simulation = Simulation(controller: settings)
        simulation.host.setAdvertising(
            AdvertisingDemand(data: [2, 1, 6]), for: Simulation.client, at: simulation.now)
        simulation.run(for: .seconds(2))
        _ = simulation.addSensor(1)
        simulation.host.connect(Simulation.sensor(1), for: Simulation.client, at: simulation.now)
        // Three failures in a row are no accident. The controller is given up, so that its transport is opened anew.
        #expect(simulation.run(for: .seconds(60)) { simulation.host.state == .resetting })
        #expect(simulation.host.failureReason.contains("0x3C"))
    }

    @Test func `a controller that breaks down with its fourth link is left at three, and who waits is told`() {
        let collection = Collection(
            Simulation(controller: ControllerSettings(faults: [.resetAtFourthLink])), sensors: 4)
        collection.begin()
        collection.run(for: .seconds(180))
        #expect(collection.restarts == 2 && collection.simulation.host.state == .ready)
        #expect(collection.simulation.host.slots == ConnectionSlots(used: 3, limit: 3))
        #expect(collection.silent(for: .seconds(20)).count == 1 && collection.heard(within: .seconds(20)))
        let told = collection.simulation.count {
            if case .connectionFailed(_, _, .connectionLimitExceeded) = $0 { true } else { false }
        }
        #expect(told > 0)
        // The end of a link makes room for another link.
        collection.provoke()
        collection.run(for: .seconds(30))
        #expect(collection.simulation.host.slots.used == 3 && collection.restarts == 2)
    }

    @Test(arguments: [ControllerFault.batchedReports, .eventZero, .doubledAnswers])
    func `a fault reaches the host`(fault: ControllerFault) {
        let simulation = Simulation(controller: ControllerSettings(faults: [fault]))
        let sound = Simulation()
        for number in 1...8 as ClosedRange<UInt64> {
            for simulation in [simulation, sound] { _ = simulation.addSensor(number) }
        }
        for simulation in [simulation, sound] {
            simulation.host.setScan(
                ScanDemand(services: nil, allowsDuplicates: true), for: Simulation.client, at: simulation.now)
            simulation.run(for: .seconds(30))
        }
        let (events, reports) = (simulation.host.counters.eventsReceived, simulation.host.counters.advertisingReports)
        switch fault {
        case .batchedReports: #expect(events < reports && reports > 100)
        default: #expect(events > sound.host.counters.eventsReceived)
        }
    }
}
