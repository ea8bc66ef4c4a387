// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import GatewayBench
import Testing

@testable import Collector

/// The answers of “Why”, the events of sensors, and the errors in the places of problems: each literal of their sources has German
/// words. Tests/Scenes/Web/languages.py lets the page translate whole answers.
struct GermanExplanationTests {
    /// Folders and files below `Sources` with literals for the page.
    private static let makers = [
        "Collector/",
        // The state of the controller, and the faults of the radio.
        "BluetoothHost/BluetoothHost.swift", "BluetoothHost/HostMachine.swift",
        "BluetoothHost/Controller/ControllerSource.swift",
        "BluetoothHost/Controller/HostMachine+Answers.swift", "BluetoothHost/Controller/HostMachine+Refusals.swift",
        "BluetoothHost/Controller/LearnedCommands.swift", "BluetoothHost/Recovery/RadioTrouble.swift",
        "HCITransport/AdapterHardware.swift", "HCITransport/SerialLine.swift", "HCITransport/StreamTransport.swift",
        "HCITransport/UserChannel.swift", "HCITransport/UserChannelHelper.swift",
        "HCITransport/UserChannelTransport.swift",
        // Links and pairings.
        "CoreBluetooth/Errors/", "CoreBluetooth/Pairing/CBPairingError.swift", "GATT/OutstandingProcedure.swift",
        "GATT/OwnProcedure.swift", "BluetoothHost/Security/BondStore.swift",
        // The broker, the disk, the webhook and the gateway's own settings.
        "MQTT/MQTTFailure.swift", "MQTT/MQTTReason.swift", "MQTT/TLSContext.swift", "MQTT/Guard/PacketFault.swift",
        "Publisher/Broker/MQTTFailure+Advice.swift", "Publisher/Broker/PublisherLoop+Connecting.swift",
        "Publisher/Broker/SubscriptionWatch.swift", "Journal/JournalError.swift", "Journal/Rows/JournalBooks.swift",
        "HTTPClient/",
        "Configuration/MachineLayer/ConfigurationReader+MachineLayer.swift",
        "Configuration/MachineLayer/GatewayConfiguration+MachineLayer.swift",
        "Configuration/MachineLayer/MachineLayerStore.swift",
    ]

    /// Files of these folders for the command line alone.
    private static let others = [
        "Collector/Access/", "Collector/Inspection/InspectionReport+Entry.swift",
        "Collector/Inspection/SensorInspection.swift",
        "Collector/Links/Collector+Peculiarities.swift",
        "Collector/State/SensorState.swift",
    ]

    /// Literals for no person: names of the specification, marks of OpenSSL, reasons in the log.
    private static let notShown: Set<String> = [
        "Property Length", "unknown ca", "certificate required", "handshake failure", "handle 0x",
        "the only advertising sensor is not heard", "none of {1} advertising sensors is heard", ", and others are",
    ]

    private static let check = GermanCheck(
        makers: makers, others: others, notShown: notShown, labels: ["step: "])

    @Test func `each text of an answer, an event and an error has German words`() throws {
        let sources = try GermanTexts.sources()
        #expect(Self.check.withoutSources(sources).isEmpty)
        #expect(try Self.check.count(sources) > 400)
        let missing = try Self.check.missing(
            sources, Array(GermanTexts.sentences().keys) + Array(GermanTexts.values().keys))
        #expect(missing.isEmpty, "\(missing.joined(separator: "\n"))")
    }

    @Test func `a new answer without German words is found, and a line of the log is none`() throws {
        let source = #"""
            /// "The moon is full."
            func answer(_ time: String) -> String {
                logger.notice("the sky is clear", metadata: ["a": "b"])
                logger.log(
                    level: .info, "the sky is dark")
                record(.waiting, step: "nap")
                let late = "; the night is \(time) long"  // "as it is"
                return "The sun has \(time == "1" ? "set" : "gone for good")" + " for today\(late)."
            }
            """#
        let name = "Collector/New.swift"
        #expect(
            try Self.check.missing([name: source, "Page/A.swift": source], ["nap"]) == [
                "\(name): ; the night is {1} long", "\(name): The sun has {1} for today{2}.", "\(name): gone for good",
            ])
        #expect(
            try Self.check.missing(
                [name: source], ["nap", "the night is {1} long", "The sun has gone for good for today; {1}."]) == [])
    }

    private static let parties: [LinkEndReason.Party] = [.gateway, .peer, .radio, .security, .controller]

    @Test(arguments: ["en", "de"])
    func `each kind of event, and each party that ends a link, has words in both languages`(language: String) throws {
        #expect(
            try GermanTexts.keys(of: "events", in: "Sources/CPage/page/strings.\(language).js")
                == Set(SensorEvent.Kind.allCases.map(\.rawValue)))
        #expect(
            try GermanTexts.keys(of: "endedBy", in: "Sources/CPage/page/strings.\(language).js")
                == Set(Self.parties.map(\.rawValue)))
    }
}
