// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Foundation
import HCI
import Readings
import Testing
import VirtualRadio

@testable import Collector
@testable import GatewayBench

/// A collector and sensors whose attribute servers depart from the specification.
@Suite(.timeLimit(.minutes(10)))
struct OddSensorTests {
    private static func rule(_ characteristics: [UInt16]) -> SensorRule {
        var rule = SensorRule()
        (rule.id, rule.name) = ("odd", "Odd")
        rule.subscribe = characteristics.map {
            .init(service: BluetoothUUID(0x181A as UInt16), characteristic: BluetoothUUID($0))
        }
        return rule
    }

    /// The names of the values' characteristics.
    private func names(_ scene: WhyScene) -> Set<String> {
        Set(scene.status("odd")?.values.map(\.characteristic) ?? [])
    }

    @Test func `two characteristics of one UUID are two values`() async throws {
        let scene = try WhyScene([Self.rule([0x2A6E])])
        scene.addEnvironment("Odd", at: 1, [.declares(0x2A6F, as: 0x2A6E)])
        try await waitFor("both values: \(scene.log)") { names(scene) == ["2a6e", "2a6e_2"] }
        let keys = scene.status("odd")?.values.flatMap { $0.fields?.map(\.quantity) ?? [] } ?? []
        #expect(Set(keys) == ["temperature", "temperature_2"])
    }

    @Test func `the names of two characteristics of one UUID are told once`() async throws {
        let scene = try WhyScene([Self.rule([0x2A6E])])
        let node = scene.addEnvironment("Odd", at: 1, [.declares(0x2A6F, as: 0x2A6E)])
        for links in 1...2 {
            let answer = await scene.why("odd") { answer in
                answer.events.filter { $0.kind == .collecting }.reduce(0) { $0 + $1.count } == links
            }
            let collecting = try #require(answer?.events.last { $0.kind == .collecting }, "\(scene.log)")
            #expect(collecting.detail == "a UUID is repeated; numbers in the names: 2a6e_2")
            if links == 1 { scene.radio.simulateDisconnection(of: node) }
        }
        let warnings = scene.lines.all.filter { $0.contains("a sensor repeats a UUID") }
        #expect(warnings.count == 1 && warnings.first?.contains("2a6e_2") == true, "\(scene.log)")
    }

    @Test func `one of two characteristics of one UUID is read by its number, and none is guessed`() async throws {
        let scene = try WhyScene([Self.rule([0x2A6E])])
        scene.addEnvironment("Odd", at: 1, [.declares(0x2A6F, as: 0x2A6E)])
        try await waitFor("both values: \(scene.log)") { names(scene) == ["2a6e", "2a6e_2"] }
        let identifier = try #require(UUID(uuidString: scene.status("odd")?.identifier ?? ""))
        func read(_ instance: Int) async -> Result<[UInt8], CharacteristicAccess.Failure> {
            let feed = SensorRule.Feed(
                service: BluetoothUUID(0x181A as UInt16), characteristic: BluetoothUUID(0x2A6E as UInt16),
                instance: instance)
            do throws(CharacteristicAccess.Failure) {
                return .success(try await CharacteristicAccess(to: feed, of: identifier, by: scene.controller).read())
            } catch {
                return .failure(error)
            }
        }
        func text(_ result: Result<[UInt8], CharacteristicAccess.Failure>) -> String {
            if case .failure(let failure) = result { failure.text } else { "" }
        }
        let (first, second) = try await (read(1).get(), read(2).get())
        #expect(first.count == 2 && second.count == 2 && first != second)
        #expect(text(await read(0)) == "the sensor has 2 181a/2a6e: say which, 181a/2a6e#1 to 181a/2a6e#2")
        #expect(text(await read(3)) == "the sensor has 2 181a/2a6e, and no 181a/2a6e#3")
    }

    @Test func `a sequence follows the characteristic that it names by its number`() async throws {
        for instance in [1, 2] {
            var rule = Self.rule([0x2A6E])
            rule.sequence = SensorRule.Sequence(
                feed: SensorRule.Feed(
                    service: BluetoothUUID(0x181A as UInt16), characteristic: BluetoothUUID(0x2A6E as UInt16),
                    instance: instance))
            let scene = try WhyScene([rule])
            scene.addEnvironment("Odd", at: 1, [.declares(0x2A6F, as: 0x2A6E)])
            try await waitFor("the sequence: \(scene.log)") { scene.sequence(of: "odd")?.isEmpty == false }
            let text = scene.sequence(of: "odd") ?? ""
            #expect(text.contains("2:") == (instance == 2) && !text.contains(","), "\(text)")
        }
    }

    @Test func `the values that can be had come, and why names what cannot`() async throws {
        let scene = try WhyScene([Self.rule([0x2A6E, 0x2A6F])])
        scene.addEnvironment("Odd", at: 1, [.misplacesValue(0x2A6F), .lacksConfigurations])
        let answer = try #require(
            await scene.why("odd") {
                $0.state == .link(.collecting) && $0.peculiarities?.count == 2 && $0.lastValueAgeMs != nil
            },
            "\(scene.log)")
        #expect(names(scene) == ["2a6e"])
        let text = answer.peculiarities?.joined(separator: "; ") ?? ""
        #expect(text.contains("0xFFF0") && text.contains("no descriptor"))
        #expect(scene.lines.all.contains { $0.hasPrefix("the sensor departs from the specification") })
    }

    @Test func `after three links that ended over the exchange of MTUs values come, and why says so`() async throws {
        let scene = try WhyScene([Self.rule([0x2A6E])])
        scene.addEnvironment("Odd", at: 1, [.hangsUp(.exchangeMTU)])
        let answer = try #require(
            await scene.why("odd") { $0.state == .link(.collecting) && $0.peculiarities != nil }, "\(scene.log)")
        #expect(answer.peculiarities?.contains { $0.hasPrefix("the exchange of MTUs is left out") } == true)
        #expect(answer.ends.reduce(0) { $0 + $1.count } == 3)
    }

    // MARK: Values before ornaments

    typealias Request = SensorOddity.Request

    /// Requests on a link beside those for values, while values flow.
    static let ornaments: [Request] = [
        .deviceName, Request.write.about(0x1801), Request.servicesByUUID.about(0x180A),
        Request.characteristics.about(0x180A), Request.read.about(0x2A29), Request.read.about(0x2A24),
    ]

    @Test(arguments: ornaments)
    func `a question beside the values that is never answered, refused or ends the link comes after the first value`(
        request: Request
    ) async throws {
        for oddity in [SensorOddity.ignores(request), .refuses(request, error: 0x0E), .hangsUp(request)] {
            let scene = try WhyScene([Self.rule([0x2A6E])], readsInformation: true)
            scene.addEnvironment("Odd", at: 1, [oddity])
            let answer = try #require(
                await scene.why("odd") { $0.lastValueAgeMs != nil }, "\(oddity): \(scene.log)")
            #expect(answer.ends.isEmpty || oddity == .hangsUp(request), "a value came on the first link")
            #expect(names(scene) == ["2a6e"])
        }
    }

    @Test func `a sensor that ends three links over the question for its maker is not asked any more, and why says so`()
        async throws
    {
        let scene = try WhyScene([Self.rule([0x2A6E])], readsInformation: true)
        scene.addEnvironment("Odd", at: 1, [.hangsUp(Request.servicesByUUID.about(0x180A))])
        let answer = try #require(
            await scene.why("odd") { $0.state == .link(.collecting) && $0.peculiarities != nil }, "\(scene.log)")
        #expect(answer.peculiarities?.contains { $0.hasPrefix("the question for maker and model is left out") } == true)
        #expect(answer.ends.reduce(0) { $0 + $1.count } == 3)
    }

    @Test func `a question that was never sent is not blamed for the end of a link`() async throws {
        let scene = try WhyScene([Self.rule([0x2A6E])], readsInformation: true)
        // The subscription to Service Changed goes before the question, and ends each link.
        scene.addEnvironment("Odd", at: 1, [.hangsUp(Request.write.about(0x1801))])
        let answer = try #require(
            await scene.why("odd") { $0.state == .link(.collecting) && $0.peculiarities != nil }, "\(scene.log)")
        let told = answer.peculiarities ?? []
        #expect(told.contains { $0.hasPrefix("the subscription to Service Changed is left out") })
        #expect(!told.contains { $0.contains("maker and model") }, "\(told)")
    }

    @Test func `the end of a link names the request that waited for its answer`() async throws {
        let scene = try WhyScene([Self.rule([0x2A6E])])
        scene.addEnvironment("Odd", at: 1, [.hangsUp(Request.write.about(0x181A))])
        let answer = try #require(
            await scene.why("odd") { $0.answer.contains("during the subscription to 2A6E") }, "\(scene.log)")
        let end = try #require(answer.events.last { $0.kind == .linkEnded })
        #expect(end.during == "the subscription to 2A6E" && end.endedBy == .peer)
        let advice = answer.advice ?? ""
        #expect(!advice.contains("phone") && advice.contains("newer firmware"), "\(advice)")
    }

    // MARK: Each discovery in a whole gateway

    @Test(arguments: [
        SensorOddity.reverses(.servicesByUUID), .reverses(.characteristics), .reverses(.descriptors),
        .goesRound(.servicesByUUID), .goesRound(.characteristics), .goesRound(.descriptors),
        .repeats(.servicesByUUID), .repeats(.characteristics), .repeats(.descriptors),
        .breaksOff(.servicesByUUID), .breaksOff(.characteristics), .breaksOff(.descriptors),
        // The search for all services finds the service which the search by UUID misplaces; the search by type finds the descriptor.
        .strays(.servicesByUUID), .strays(.descriptors), .empties(.servicesByUUID),
        .refuses(.servicesByUUID, error: 0x06),
        .refuses(.servicesByUUID, error: 0x0E), .refuses(.includedServices, error: 0x0E),
        // The descriptor is looked for by its type.
        .empties(.descriptors), .refuses(.descriptors, error: 0x01), .refuses(.descriptors, error: 0x0E),
        // The collector reads a characteristic that refuses subscriptions.
        .refuses(Request.write.about(0x181A), error: 0x0E), .refuses(Request.write.about(0x181A), error: 0x03),
        .doubles(.exchangeMTU), .answers(.exchangeMTU, with: [0x03, 5, 0]), .doubles(.servicesByUUID),
        .doubles(.characteristics), .doubles(.descriptors), .doubles(.write), .doubles(.databaseHash),
        .refuses(.exchangeMTU, error: 0x06), .refuses(.databaseHash, error: 0x0A), .hangsUp(.databaseHash),
        .namesNoRequest,
    ])
    func `values come from a sensor that answers oddly`(oddity: SensorOddity) async throws {
        let scene = try WhyScene([Self.rule([0x2A6E])], readsInformation: true)
        scene.addEnvironment("Odd", at: 1, [oddity])
        try await waitFor("a value: \(oddity): \(scene.log)") { names(scene) == ["2a6e"] }
    }

    @Test(arguments: [
        SensorOddity.refuses(.characteristics.about(0x180F), error: 0x0E), .empties(.characteristics.about(0x180F)),
    ])
    func `one service that does not tell its characteristics keeps none of the others from coming`(oddity: SensorOddity)
        async throws
    {
        var rule = Self.rule([0x2A6E])
        rule.subscribe.append(
            .init(service: BluetoothUUID(0x180F as UInt16), characteristic: BluetoothUUID(0x2A19 as UInt16)))
        let scene = try WhyScene([rule])
        scene.addEnvironment("Odd", at: 1, [oddity])
        try await waitFor("a value: \(scene.log)") { names(scene) == ["2a6e"] }
        let missing = scene.status("odd")?.missing ?? []
        #expect(missing.count == 1 && missing.first?.hasPrefix("characteristics of 180F: ") == true, "\(missing)")
    }

    @Test func `the loss of the controller ends a link once, and is no failure of the sensor`() async throws {
        let scene = try WhyScene([Self.rule([0x2A6E])])
        scene.addEnvironment("Odd", at: 1, [])
        try await waitFor("a value: \(scene.log)") { names(scene) == ["2a6e"] }
        scene.radio.simulateHardwareError(try #require(scene.radio.controllerStates().first).id)
        try await waitFor("the loss: \(scene.log)") { scene.status("odd")?.drops ?? 0 > 0 }
        try await waitFor("values again: \(scene.log)") { scene.status("odd")?.link == .collecting }
        let status = try #require(scene.status("odd"))
        #expect(status.drops == 1 && status.lastFailure == nil, "\(status)")
        let why = try #require(await scene.why("odd"))
        #expect(!why.events.contains { $0.kind == .setUpFailed }, "\(why.events)")
    }

    @Test(arguments: [(0x03, "Writing is not permitted"), (0x08, "Authorization is insufficient")])
    func `a value whose subscription is refused is read again and again, the others are notified, and it is told`(
        error: UInt8, words: String
    ) async throws {
        var rule = Self.rule([0x2A6E])
        rule.subscribe.append(
            .init(service: BluetoothUUID(0x180F as UInt16), characteristic: BluetoothUUID(0x2A19 as UInt16)))
        rule.valueInterval = .milliseconds(50)
        let scene = try WhyScene([rule])
        scene.addEnvironment("Odd", at: 1, [.refuses(Request.write.about(0x181A), error: error)])
        try await waitFor("values: \(scene.log)") {
            let status = scene.status("odd")
            return names(scene).isSuperset(of: ["2a6e"]) && status?.sources?["read"] ?? 0 > 2
        }
        #expect(scene.status("odd")?.link == .collecting && scene.status("odd")?.drops == 0)
        let missing = scene.status("odd")?.missing.joined() ?? ""
        #expect(
            missing.contains(words) && missing.contains("reads the value at intervals"),
            "\(missing)")
    }

    @Test func `a subscription that is refused again and again ends no further links, and the collector listens`()
        async throws
    {
        var rule = Self.rule([])
        rule.subscribe = [.init(service: UARTService.service, characteristic: UARTService.transmit)]
        let scene = try WhyScene([rule])
        // This characteristic notifies, and cannot be read.
        var sensor = VirtualSensor.Configuration(
            address: DeviceAddress(kind: .public, value: 0xC0_0000_0001), name: "Odd", kind: .uart,
            advertisingInterval: .milliseconds(30))
        sensor.oddities = [.refuses(.write, error: 0x80)]
        _ = scene.radio.addSensor(sensor)
        try await waitFor("a link that stays: \(scene.log)") { scene.status("odd")?.link == .collecting }
        let why = try #require(await scene.why("odd"))
        #expect(why.events.filter { $0.kind == .setUpFailed }.reduce(0) { $0 + $1.count } == 2, "\(why.events)")
        #expect(scene.status("odd")?.missing.joined().contains("listens all the same") == true)
    }

    @Test func `a notification is not the answer to a read that stays unanswered`() async throws {
        let scene = try WhyScene([Self.rule([0x2A6E])])
        scene.addEnvironment("Odd", at: 1, [.lacksConfigurations, .ignores(Request.read.about(0x2A6E))])
        try await waitFor("notifications: \(scene.log)") { scene.status("odd")?.sources?["notify"] ?? 0 > 3 }
        #expect(scene.status("odd")?.sources?["read"] ?? 0 == 0)
    }

    @Test func `a controller that does not scan connects to what an entry names by its address`() async throws {
        var rule = Self.rule([0x2A6E])
        (rule.name, rule.address) = (nil, 0xC0_0000_0001)
        var settings = ControllerSettings()
        settings.refusals[.leSetScanEnable] = .status(.unknownCommand, beginningsOnly: true)
        let scene = try WhyScene([rule], settings: settings)
        scene.addEnvironment("Odd", at: 1, [])
        try await waitFor("a value: \(scene.log)") { names(scene) == ["2a6e"] }
        #expect(scene.log.contains("as the controller does not scan"))
    }

    @Test(arguments: [
        (SensorOddity.empties(.characteristics), "makes no sense"), (.strays(.characteristics), "is not there"),
        (.refuses(.characteristics, error: 0x0E), "unlikely error"),
    ])
    func `where nothing can be collected, it is said what was seen`(oddity: SensorOddity, words: String) async throws {
        let scene = try WhyScene([Self.rule([0x2A6E])])
        scene.addEnvironment("Odd", at: 1, [oddity])
        try await waitFor("a failure: \(oddity): \(scene.log)") { scene.status("odd")?.lastFailure != nil }
        let failure = scene.status("odd")?.lastFailure ?? ""
        #expect(failure.contains(words), "\(failure)")
    }
}
