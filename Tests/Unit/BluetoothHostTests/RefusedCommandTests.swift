// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import GATT
import HCI
import HCITransport
import Testing
import VirtualRadio

@testable import BluetoothHost
@testable import HostBench

/// Each way in which a controller refuses the commands for scanning, connecting and advertising, or does not answer:
/// the host's remedy, and the small number of commands for it.
struct RefusedCommandTests {
    /// A use of the radio. Each row has its outcome.
    enum Use: String, Sendable {
        case scan, connect, advertise
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let use: Use
        let command: HCIOpcode
        let refusal: CommandRefusal
        var isExtended = false
        var hasOtherPHYs = false
        /// Other uses of the radio are under way: a scan beside a connection, a wish for an absent peer beside a scan.
        var isBeside = false
        /// The use works in the end; false: there is a problem, in words.
        let works: Bool
        /// Set-ups beside the first.
        var restarts = 0

        var testDescription: String {
            let how = refusal.status.map { "\($0), \(refusal.form)" } ?? "silence"
            let sort = isExtended ? hasOtherPHYs ? "extended with LE Coded" : "extended" : "legacy"
            return "\(use.rawValue)\(isBeside ? " beside others" : ""), \(sort): \(command.words): \(how)"
        }
    }

    /// Statuses of lasting refusals, and statuses of refusals that may pass.
    static let lasting: [HCIStatus] = [
        .unknownCommand, .unsupportedFeature, .invalidCommandParameters, .unsupportedLLParameterValue,
        .parameterOutOfRange, HCIStatus(rawValue: 0xEE),
    ]
    static let passing: [HCIStatus] = [
        .commandDisallowed, .unspecifiedError, .controllerBusy, .hardwareFailure, .memoryCapacityExceeded,
        .connectionLimitExceeded, .connectionRejectedLimitedResources,
    ]
    static let all = lasting + passing

    static let legacy: [(Use, HCIOpcode)] = [
        (.scan, .leSetScanParameters), (.scan, .leSetScanEnable), (.connect, .leCreateConnection),
        (.advertise, .leSetAdvertisingParameters), (.advertise, .leSetAdvertisingData),
        (.advertise, .leSetAdvertisingEnable),
    ]
    static let extended: [(Use, HCIOpcode)] = [
        (.scan, .leSetExtendedScanParameters), (.scan, .leSetExtendedScanEnable),
        (.connect, .leExtendedCreateConnection), (.advertise, .leSetExtendedAdvertisingParameters),
        (.advertise, .leSetExtendedAdvertisingData), (.advertise, .leSetExtendedAdvertisingEnable),
    ]

    /// The older commands replace extended commands, after one reset.
    static let replaced = extended.flatMap { use, command in
        all.flatMap { status in
            CommandRefusal.Form.allCases.map { form in
                Row(
                    use: use, command: command, refusal: .status(status, in: form, beginningsOnly: isEnable(command)),
                    isExtended: true, works: true, restarts: 1)
            }
        }
    }

    /// The older commands are replaced by nothing.
    static let told = legacy.flatMap { use, command in
        all.flatMap { status in
            CommandRefusal.Form.allCases.map { form in
                Row(
                    use: use, command: command, refusal: .status(status, in: form, beginningsOnly: isEnable(command)),
                    works: false, restarts: passing.contains(status) ? 1 : 0)
            }
        }
    }

    /// Beside another use of the radio, each refusal has the same outcome.
    static let beside = (replaced + told).filter { $0.use != .advertise && $0.refusal.form == .usual }.map {
        var row = $0
        row.isBeside = true
        // A reset would cost the links.
        if row.use == .scan, !row.works { row.restarts = 0 }
        return row
    }

    /// If an extended command dislikes a PHY, LE 1M is enough, without a reset.
    static let plain = [HCIStatus.unsupportedFeature, .invalidCommandParameters].flatMap { status in
        [
            Row(
                use: .scan, command: .leSetExtendedScanParameters, refusal: .status(status, onOtherPHYsOnly: true),
                isExtended: true, hasOtherPHYs: true, works: true),
            Row(
                use: .connect, command: .leExtendedCreateConnection, refusal: .status(status, onOtherPHYsOnly: true),
                isExtended: true, hasOtherPHYs: true, works: true),
        ]
    }

    /// The host does without the Filter Accept List and the scan response, at once, even if the controller does not
    /// answer.
    static let lists = [
        HCIOpcode.leClearFilterAcceptList, .leAddDeviceToFilterAcceptList, .leRemoveDeviceFromFilterAcceptList,
    ].flatMap { command in
        all.map { Row(use: .connect, command: command, refusal: .status($0), works: true) }
            + [Row(use: .connect, command: command, refusal: .silence, works: true)]
    }
    static let responses = [
        (HCIOpcode.leSetScanResponseData, false), (.leSetExtendedScanResponseData, true),
    ].flatMap { command, isExtended in
        (all.map { CommandRefusal.status($0) } + [.silence]).map {
            Row(use: .advertise, command: command, refusal: $0, isExtended: isExtended, works: true)
        }
    }

    /// Silence: each optional command is left out, after a further set-up. Extended commands are replaced after two.
    static let silent =
        [
            HCIOpcode.readLocalSupportedCommands, .readLocalSupportedFeatures, .readBDADDR,
            .leReadLocalSupportedFeatures, .leReadFilterAcceptListSize,
            .leReadSupportedStates, .leSetDefaultPHY, .leWriteSuggestedDefaultDataLength,
        ].flatMap { command in
            [Use.scan, .connect, .advertise].map {
                Row(use: $0, command: command, refusal: .silence, works: true, restarts: 1)
            }
        }
        + [
            HCIOpcode.leReadMaximumAdvertisingDataLength, .leReadNumberOfSupportedAdvertisingSets, .leSetEventMask,
        ].map { Row(use: .scan, command: $0, refusal: .silence, isExtended: true, works: true, restarts: 1) }
        + extended.map { Row(use: $0, command: $1, refusal: .silence, isExtended: true, works: true, restarts: 2) }

    /// Without their events, the extended commands are useless.
    static let masks = lasting.map {
        Row(use: .scan, command: .leSetEventMask, refusal: .status($0), isExtended: true, works: true, restarts: 1)
    }

    static let rows = replaced + told + beside + plain + lists + responses + silent + masks

    private static func isEnable(_ command: HCIOpcode) -> Bool {
        [
            .leSetScanEnable, .leSetExtendedScanEnable, .leSetAdvertisingEnable, .leSetExtendedAdvertisingEnable,
        ].contains(command)
    }

    @Test(arguments: rows) func `a refusal leads to other commands, to going without, or to a problem in words`(
        row: Row
    ) {
        let scene = RefusalScene(row)
        if row.isBeside { scene.useOther() }
        scene.run(for: .seconds(60))
        #expect(scene.isDone == row.works)
        #expect(scene.restarts == row.restarts)
        #expect(scene.host.state == .ready)
        let told = scene.host.refusedUses
        #expect(told.map(\.use.rawValue) == (row.works ? [] : [row.use.rawValue]), "\(told)")
        #expect(told.allSatisfy { $0.reason.contains(row.command.words) }, "\(told)")
        if row.use == .scan { #expect(scene.host.grantsScans == row.works) }
        if !row.works { #expect(scene.hasHeard == (row.use != .scan), "the client is told") }
        // A minute: set-ups of 20 commands at most, and a few tries.
        let limit = 20 * (row.restarts + 1) + (row.isBeside ? 150 : 50)
        #expect(scene.commands <= limit, "\(scene.commands) commands")
        #expect(scene.simulation.air.violations(of: scene.simulation.controller) == [])
    }

    @Test func `what is refused for good is asked for ever more rarely, and works as soon as it is granted`() {
        let row = Row(use: .scan, command: .leSetScanParameters, refusal: .status(.unknownCommand), works: false)
        let scene = RefusalScene(row)
        scene.run(for: .seconds(30))
        let before = scene.commands
        scene.run(for: .seconds(3_600))
        #expect((1...20).contains(scene.commands - before), "\(scene.commands - before) commands in an hour")
        scene.simulation.air.simulate([:], of: scene.simulation.controller)
        scene.run(for: .seconds(700))
        #expect(scene.isDone && scene.host.refusedUses.isEmpty && scene.host.grantsScans)
    }

    @Test func `a controller that does not scan still connects, and one that does not connect still scans`() {
        for row in [
            Row(
                use: .connect, command: .leSetScanEnable, refusal: .status(.unknownCommand, beginningsOnly: true),
                works: true),
            Row(use: .scan, command: .leCreateConnection, refusal: .status(.unknownCommand), works: true),
        ] {
            let scene = RefusalScene(row)
            scene.useOther()
            scene.run(for: .seconds(60))
            #expect(scene.isDone && scene.host.refusedUses.count == 1 && scene.restarts == 0)
        }
    }

    @Test(arguments: [HCIOpcode.leReadRemoteFeatures, .leSetPHY, .leConnectionUpdate, .readRSSI])
    func `a command of a link that is never answered is left out at once, and costs no link`(command: HCIOpcode) {
        var settings = ControllerSettings()
        settings.refusals[command] = .silence
        let simulation = Simulation(controller: settings)
        let collection = Collection(simulation, sensors: 1)
        var sent = 0
        simulation.tap = { packet, direction in
            if direction == .sent, packet.byteCount > 2, packet.u8(at: 0) == 1, packet.u16(at: 1) == command.rawValue {
                sent += 1
            }
        }
        collection.begin()
        collection.run(for: .seconds(20))
        for number in 1...3 as ClosedRange<UInt64> {
            guard let link = simulation.lastLink else { continue }
            let id = GATTRequestID(client: Simulation.client, number: 1_000 + number)
            if command == .readRSSI { simulation.host.readRSSI(of: link, id: id, at: simulation.now) }
            if command == .leConnectionUpdate {
                simulation.host.setParameters(.standard, on: link, for: Simulation.client, at: simulation.now)
            }
            collection.run(for: .seconds(10))
        }
        #expect(sent == 1)
        #expect(collection.restarts == 0 && simulation.host.state == .ready)
        #expect(collection.silent(for: .seconds(10)) == [])
        #expect(simulation.air.violations(of: simulation.controller) == [])
    }

    @Test func `a controller that falls silent altogether is given up at the second command`() {
        let collection = Collection(Simulation(), sensors: 1)
        collection.begin()
        collection.run(for: .seconds(10))
        collection.simulation.air.simulate(.frozen, of: collection.simulation.controller)
        guard let link = collection.simulation.lastLink else { return }
        for number in 1...3 as ClosedRange<UInt64> {
            let id = GATTRequestID(client: Simulation.client, number: 1_000 + number)
            collection.simulation.host.readRSSI(of: link, id: id, at: collection.simulation.now)
        }
        #expect(collection.simulation.run(for: .seconds(5)) { collection.simulation.host.state == .resetting })
    }

    static let resolving = [
        HCIOpcode.leClearResolvingList, .leAddDeviceToResolvingList, .leSetPrivacyMode, .leSetAddressResolutionEnable,
        .leReadResolvingListSize,
    ]

    @Test(arguments: resolving, all.map { CommandRefusal.status($0) } + [.silence])
    func `without a resolving list the host resolves, and scans and connects as before`(
        command: HCIOpcode, refusal: CommandRefusal
    ) throws {
        var settings = ControllerSettings(resolvingListSize: 4)
        settings.refusals[command] = refusal
        let simulation = Simulation(controller: settings)
        simulation.host.provide(bonds: [try #require(Sample.bond(9, identityKey: Sample.key(0x11)))])
        let collection = Collection(simulation, sensors: 1)
        collection.begin()
        collection.run(for: .seconds(60))
        #expect(collection.restarts <= (command == .leReadResolvingListSize ? 1 : 0), "\(collection.restarts) restarts")
        #expect(collection.silent(for: .seconds(10)) == [])
        #expect(collection.heard(within: .seconds(10)))
        #expect(simulation.host.resolving.resolved.isEmpty)
        #expect(simulation.air.violations(of: simulation.controller) == [])
    }

    @Test(arguments: passing) func `an extended scan that has worked outlives refusals that pass`(status: HCIStatus) {
        let row = Row(
            use: .scan, command: .leSetExtendedScanEnable, refusal: .status(status, beginningsOnly: true),
            isExtended: true, works: true)
        let scene = RefusalScene(row, isRefusing: false)
        scene.run(for: .seconds(10))
        scene.refuse(row)
        scene.renewScan()
        scene.run(for: .seconds(5))
        #expect(!scene.host.grantsScans)
        scene.refuse(nil)
        scene.run(for: .seconds(30))
        #expect(scene.host.grantsScans && scene.restarts == 0 && scene.host.controller.usesExtendedCommands)
        // A use that fails on and on gets the older commands, until the next set-up.
        scene.refuse(row)
        scene.renewScan()
        scene.run(for: .seconds(60))
        #expect(scene.host.grantsScans && scene.restarts == 1 && !scene.host.controller.usesExtendedCommands)
        scene.refuse(nil)
        scene.simulation.air.simulate(.hardwareError, of: scene.simulation.controller)
        scene.run(for: .seconds(20))
        #expect(scene.host.grantsScans && scene.restarts == 2 && scene.host.controller.usesExtendedCommands)
    }

    @Test func `a random address that the controller refuses is told of where there is no other`() {
        var settings = ControllerSettings()
        settings.refusals = [.readBDADDR: .status(.unknownCommand), .leSetRandomAddress: .status(.unsupportedFeature)]
        let simulation = Simulation(controller: settings)
        simulation.run(for: .seconds(1))
        #expect(simulation.host.state == .resetting)
        #expect(simulation.host.failureReason.contains("LE Set Random Address (0x2005): unsupported feature"))
    }
}

/// A host on a controller that refuses some command. Like the radio thread, the scene restarts the host whenever it
/// gives its controller up. The client repeats its wish at every change of the state.
private final class RefusalScene {
    let simulation: Simulation
    private let use: RefusedCommandTests.Use
    private(set) var restarts = 0
    private(set) var commands = 0
    private var others = false
    private let scanResponse: [UInt8]

    init(_ row: RefusedCommandTests.Row, isRefusing: Bool = true) {
        use = row.use
        let isResponse = [HCIOpcode.leSetScanResponseData, .leSetExtendedScanResponseData].contains(row.command)
        scanResponse = isResponse ? [2, 0x0A, 0] : []
        var settings = ControllerSettings(
            extendedAdvertising: row.isExtended, codedPHY: row.hasOtherPHYs,
            missingFeatures: row.hasOtherPHYs || row.command == .leSetDefaultPHY ? 0 : LEFeatures.le2M.rawValue)
        if isRefusing { settings.refusals = [row.command: row.refusal] }
        simulation = Simulation(controller: settings)
        _ = simulation.addSensor(1)
        _ = simulation.addSensor(2)
        // A sensor with a link does not advertise.
        if row.isBeside { _ = simulation.addSensor(4) }
        simulation.tap = { [unowned self] packet, direction in
            if direction == .sent, packet.byteCount > 0, packet.u8(at: 0) == 1 { commands += 1 }
        }
    }

    var host: HostMachine { simulation.host }

    func refuse(_ row: RefusedCommandTests.Row?) {
        let refusals = row.map { [$0.command: $0.refusal] } ?? [:]
        simulation.air.simulate(refusals, of: simulation.controller)
    }

    func renewScan() { simulation.host.renewScan(at: simulation.now) }

    /// Wants a connection during a scan, and a scan otherwise.
    func useOther() { others = true }

    func run(for limit: Duration) {
        let end = simulation.now + limit
        begin()
        while simulation.now < end {
            let state = host.state
            simulation.run(for: end - simulation.now) {
                host.state == .resetting && !host.isStarting || host.state == .ready && state != .ready
            }
            if host.state == .resetting, !host.isStarting {
                // A host that never gets on would restart very often.
                guard restarts < 10 else { return }
                restarts += 1
                simulation.host.start(at: simulation.now)
            } else if host.state == .ready {
                begin()
            }
        }
    }

    private func begin() {
        guard host.state == .ready else { return }
        begin(use)
        guard others else { return }
        begin(use == .scan ? .connect : .scan)
    }

    private func begin(_ use: RefusedCommandTests.Use) {
        let now = simulation.now
        switch use {
        case .scan:
            simulation.host.setScan(
                ScanDemand(services: nil, allowsDuplicates: true), for: Simulation.client, at: now)
        case .connect:
            guard simulation.connections == 0 else { return }
            // The third peer is absent.
            for number: UInt64 in use == .scan ? 1...3 : 1...2 {
                simulation.host.connect(Simulation.sensor(number), for: Simulation.client, at: now)
            }
        case .advertise:
            guard !isDone else { return }
            simulation.host.setAdvertising(
                AdvertisingDemand(data: [2, 1, 6], scanResponse: scanResponse), for: Simulation.client,
                at: now)
        }
    }

    /// The client's wish is fulfilled.
    var isDone: Bool {
        switch use {
        case .scan: !simulation.advertisements.isEmpty
        case .connect: simulation.connections == 2
        case .advertise: simulation.count { if case .advertisingStarted = $0 { true } else { false } } > 0
        }
    }

    /// The client was told about the failure. For a scan, only the state of the controller can tell.
    var hasHeard: Bool {
        simulation.count {
            switch $0 {
            case .connectionFailed, .advertisingFailed: true
            default: false
            }
        } > 0
    }
}
