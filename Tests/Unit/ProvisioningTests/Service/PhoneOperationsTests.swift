// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing

@testable import Collector
@testable import Gateway
@testable import Operations
@testable import Provisioning
@testable import Publisher

/// The operations for the owner's phone, and the way its service asks for them.
struct PhoneOperationsTests {
    /// By the asking characteristics; `Apply` asks only for its right, because the service does its steps.
    private static let asked: [OperationName: String] = [
        .status: "", .devices: "heard", .accept: "accept C4:7C:8D:00:11:22", .forget: "forget other",
        .passkey: "passkey C4:7C:8D:00:11:22", .rename: "rename C4:7C:8D:00:11:22 Fridge –", .clockSet: "clock",
        .settingsUndo: "undo", .log: "",
        .factoryReset: "reset",
    ]
    private static let own: Set<OperationName> = [.identify, .provision]
    private static let arguments: [OperationName: String] = [
        .accept: #"{"address":"C4:7C:8D:00:11:22"}"#, .forget: #"{"sensor":"other"}"#,
        .rename: #"{"sensor":"C4:7C:8D:00:11:22","label":"Fridge"}"#,
        .passkey: #"{"sensor":"C4:7C:8D:00:11:22","passkey":"123456"}"#, .clockSet: #"{"unix_ms":7}"#,
        .provision: #"{"action":"open"}"#,
    ]
    private static let ownWorks = [
        PhoneOperations.own(OperationTable.identify) { _ in OperationTable.Nothing() },
        PhoneOperations.own(OperationTable.provision) { _ in WindowReport(open: true, failures: 0) },
    ]

    private struct Raw: Encodable {
        var text: String

        func encode(to encoder: any Encoder) throws {
            let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] ?? [:]
            var container = encoder.container(keyedBy: Key.self)
            for (key, value) in object {
                if let text = value as? String { try container.encode(text, forKey: Key(key)) }
                if let number = value as? Int64 { try container.encode(number, forKey: Key(key)) }
            }
        }
    }

    private struct Key: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init(_ text: String) { stringValue = text }
        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    @Test func `what the service does itself has the bounds of its row, too`() async throws {
        let phones = PhoneOperations(BenchOperations(), own: Self.ownWorks)
        let row = try #require(OperationTable.row(.identify))
        let long = Raw(text: #"{"x":"\#(String(repeating: "x", count: row.bounds.arguments))"}"#)
        let error = await #expect(throws: OperationError.self) { try await phones.ask(.identify, long) }
        #expect(error?.description.contains("octets of arguments at most") == true, "\(String(describing: error))")
    }

    @Test func `the service does no row of its own that a phone may not have`() async throws {
        let done = Atomic(0)
        let work = PhoneOperations.own(OperationTable.restart) { _ in
            done.add(1, ordering: .relaxed)
            return OperationTable.Nothing()
        }
        let phones = PhoneOperations(BenchOperations(), own: [work])
        let error = await #expect(throws: OperationError.self) { try await phones.ask(.restart) }
        #expect(error?.kind == .refused && done.load(ordering: .relaxed) == 0)
    }

    @Test(arguments: OperationTable.rows.map(\.name))
    func `a phone gets the rows of its characteristics, and no others`(name: OperationName) async throws {
        let operations = BenchOperations()
        let phones = PhoneOperations(operations, own: Self.ownWorks)
        var refusal: OperationError?
        do throws(OperationError) {
            try await phones.ask(name, Raw(text: Self.arguments[name] ?? "{}"))
        } catch {
            refusal = error
        }
        if let call = Self.asked[name] {
            #expect(refusal == nil)
            #expect(operations.calls == (call.isEmpty ? [] : [call]))
        } else if Self.own.contains(name) {
            #expect(refusal == nil && operations.calls == [])
        } else if name == .settingsApply {
            #expect(refusal == nil)
            #expect(throws: Never.self) { try phones.admit(.settingsApply) }
        } else {
            #expect(refusal?.kind == .refused && refusal?.description.contains("on this way") == true)
            #expect(throws: OperationError.self) { try phones.admit(name) }
            #expect(operations.calls == [])
        }
    }

    @Test func `an argument that is called as the word around a broker's is the phone's own`() async throws {
        let operations = BenchOperations()
        try await PhoneOperations(operations).ask(
            .accept, AcceptMessage(address: "C4:7C:8D:00:11:22", id: "other", subscribe: ["180d/2a37"]))
        let accepted = try #require(operations.state.withLock { $0.accepted.first })
        #expect(accepted.id == "other" && accepted.subscribe == ["180d/2a37"])
    }

    @Test func `a broker's client gets the nearest 64 devices, and an owner's phone gets all`() async throws {
        let row = try #require(OperationTable.row(.devices))
        let operations = BenchOperations()
        let devices = (0..<70).map { HeardSensor(address: "\($0)", isAccepted: false) }
        operations.state.withLock { $0.sensors = devices }
        let remote = try await operations.perform(row, OperationCall(.broker, Data("{}".utf8)))
        #expect((remote as? [HeardSensor])?.map(\.address) == devices.prefix(64).map(\.address))
        let own = try await operations.perform(row, OperationCall(.phone, Data("{}".utf8)))
        #expect((own as? [HeardSensor])?.count == 70)
    }

    @Test func `a phone shows the operator's name of a sensor before the sensor's own`() {
        var sensor = HeardSensor(address: "C4:7C:8D:00:11:22", name: "Strap", id: "heart", isAccepted: true)
        #expect(SensorMessage(sensor).name == "Strap")
        sensor.title = "heart"
        #expect(SensorMessage(sensor).name == "heart")
    }

    @Test func `settings that are applied tell the steps of their row, in its order`() async throws {
        let row = try #require(OperationTable.row(.settingsApply))
        let told = Mutex<[String]>([])
        let operations = BenchOperations()
        let call = OperationCall(.page, Data(#"{"host":"elsewhere"}"#.utf8)) { step in told.withLock { $0.append(step) }
        }
        _ = try await operations.perform(row, call)
        // A change without a network has no steps of the network.
        let steps = row.steps.filter { !["country", "associate", "address"].contains($0) }
        #expect(told.withLock { $0 } == steps && steps.count == 6)
        #expect(operations.calls == ["check", "try out", "prove", "keep"])
    }
}
