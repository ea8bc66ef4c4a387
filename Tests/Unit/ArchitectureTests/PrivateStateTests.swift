// SPDX-License-Identifier: Apache-2.0

import Testing

/// A type with behaviour keeps its state private: other code calls its functions, named after the event.
///
/// Every class, every actor and every value with a mutating function counts. An open property is a part with private state,
/// or it stands here with its reason.
@Suite("Private state")
struct PrivateStateTests {
    /// Types with open properties, and single open properties, by the reason.
    private static let reasons: [String: [String]] = [
        "a record: data that others fill and read": [
            "Audit.Account", "ConfigurationChange", "ControllerInformation", "ClientState", "FaultState",
            "InspectionReport",
            "JournalState.Batch", "JournalStatistics", "LedgerChanges", "LedgerPage", "LimitState", "LossRecord",
            "MachineLayer", "PacketExplanation", "Problem", "RadioHealth", "ReplayReport", "SensorEvent",
            "SensorExplanation",
            "SensorRule", "SensorRule.Candidate", "SensorStatus.Value", "SparkplugData",
        ],
        "its extensions in other files are the only code that changes it": [
            "BluetoothHost", "Collector", "ConfigurationReader", "GATTClientCache", "GATTClientMachine", "GATTDatabase",
            "GATTServerMachine",
            "HostMachine", "JournalState", "Link", "MQTTConnection", "NetworkManagerBus", "PacketGuard",
            "PairingMachine",
            "PublisherLoop", "PublisherMachine", "RecencyTable", "VirtualAir", "VirtualController", "VirtualSensor",
        ],
        "behind the lock, or in the table, of one owner": [
            "CBPeripheral.State", "LimitKeeper.State", "OwnedMultipleRead", "PairingSide", "PeripheralObservers",
            "SharedSensor", "Sighting", "SparkplugDevice", "StreamSide", "AirLoop", "LinkEnd", "ChartSeries.unit",
            "ChartSeries.newest", "PageExchange.Values.all", "LatestValue.decoding", "TrialMachine.isHeardWithWPA3",
        ],
        "set by tests and demonstrations, as a person moves a device": ["VirtualBroadcaster"],
        "settings for callers to choose": ["PairingRules"],
        "a fact of the journal, which ReplayGuard takes back": ["CounterLife.restart"],
        "the protocol of the language": ["AdvertisingData.Iterator", "Advice.StringInterpolation"],
    ]
    private static let others = Set(reasons.values.joined())

    private struct Module {
        var types: [String: [StoredProperties.Property]] = [:]
        var acting: Set<String> = []
        var hidden: Set<String> = []

        init(_ name: String) throws {
            for file in try Repository.files(below: "Sources/\(name)")
            where file.hasSuffix(".swift") && !file.hasSuffix(".pb.swift") {
                let found = StoredProperties(try Repository.text(file))
                types.merge(found.types, uniquingKeysWith: +)
                acting.formUnion(found.acting)
                hidden.formUnion(found.hidden)
            }
        }

        /// A type in a hidden type is hidden, too.
        func isHidden(_ type: String) -> Bool { hidden.contains { type == $0 || type.hasPrefix($0 + ".") } }

        /// Names of types with private properties alone, or with such types as properties.
        func parts(_ known: Set<String>) -> Set<String> {
            var parts = known
            while true {
                let new = acting.filter { type in
                    types[type].map { $0.allSatisfy { $0.isKept || $0.type.map(parts.contains) == true } } == true
                }
                let all = parts.union(new.map { String($0.split(separator: ".").last ?? "") })
                guard all != parts else { return parts }
                parts = all
            }
        }
    }

    /// Parts of modules below: a machine of a protocol, a queue.
    private static func partsBelow() throws -> Set<String> {
        var parts: Set<String> = []
        for module in [
            "BluetoothCore", "Platform", "Readings", "Health", "Limits", "HCI", "L2CAP", "ATT", "GATT", "SMP",
        ] {
            parts = try Module(module).parts(parts)
        }
        return parts
    }

    @Test("what acts has its state to itself")
    func privacy() throws {
        let below = try Self.partsBelow()
        var needed: Set<String> = []
        let names = Set(try Repository.files(below: "Sources").map { String($0.split(separator: "/")[1]) })
        var count = 0
        for name in names.sorted() {
            let module = try Module(name)
            count += module.acting.count
            let parts = module.parts(below)
            for type in module.acting.sorted() where !module.isHidden(type) {
                let open = (module.types[type] ?? []).filter { property in
                    !property.isKept && property.type.map(parts.contains) != true
                }
                for property in open.map({ "\(type).\($0.name)" }) {
                    let exemption = [type, property].first { Self.others.contains($0) }
                    if let exemption { needed.insert(exemption) }
                    #expect(
                        exemption != nil,
                        "\(name): \(property): make it private(set), with a function that says what happens")
                }
            }
        }
        #expect(count > 500)
        #expect(Self.others.subtracting(needed) == [], "they need no exemption")
    }
}
