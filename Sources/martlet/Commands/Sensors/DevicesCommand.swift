// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Collector
import Gateway
import Operations
import Readings

struct DevicesCommand: ListedCommand {
    static let place = HelpPlace(.sensor, 20)
    static let configuration = CommandConfiguration(
        commandName: OperationName.devices.word,
        abstract: "Show the devices in the air and the collected sensors of a running gateway.",
        discussion: """
            Accepted sensors first, then everything that was heard in the last ten minutes, strongest first. Asking has the \
            gateway listen for all devices for half a minute: ask again to see more.
            """,
        examples: [
            "martlet devices": "all devices in the air",
            "martlet devices --json": "for programs",
        ])

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var control: ControlOptions

    func run() throws {
        let devices = try control.ask(OperationTable.devices)
        if json {
            Output.line(String(decoding: try ControlCoding.encode(devices), as: UTF8.self))
            return
        }
        for line in Self.lines(devices, columns: Output.isTerminal ? Output.size.columns : nil) { Output.line(line) }
    }

    static func lines(_ devices: [HeardSensor], columns: Int?) -> [String] {
        guard !devices.isEmpty else { return ["nothing was heard yet; ask again in a few seconds"] }
        // The order within each half is kept.
        let sorted = devices.filter(\.isAccepted) + devices.filter { !$0.isAccepted }
        let layout = TextTable(
            columns: [
                .init(title: "ADDRESS"), .init(title: "NAME", rank: 2, least: 8),
                .init(title: "FAMILY", rank: 3, least: 10),
                .init(title: "RSSI", rank: 4, isRightAligned: true), .init(title: "ACCEPTED AS", least: 8),
                .init(title: "VALUES", rank: 1, least: 12), .init(title: "AGE", rank: 5, isRightAligned: true),
            ], rows: sorted.map(row)
        ).layout(width: columns)
        let troubles = sorted.compactMap { device in
            device.trouble.map { "! \(device.id ?? device.address): \(Text.plain($0))" }
        }
        return [layout.header] + layout.rows + troubles
    }

    private static func values(of device: HeardSensor) -> String {
        if !device.values.isEmpty { return Text.plain(device.values.joined(separator: ", ")) }
        // A device of a known family without readable values needs a key. `martlet scan` uses the same word.
        return device.family.flatMap(SensorFamilies.family) == nil ? "–" : "encrypted"
    }

    private static func row(_ device: HeardSensor) -> [String] {
        [
            device.address, Text.plain(device.name ?? "–"),
            device.family ?? (device.isConnectable ? "–" : "not connectable"),
            device.rssi.map(String.init) ?? "–", device.isAccepted ? Text.plain(device.id ?? "yes") : "–",
            values(of: device),
            SensorTable.age(device.ageMs),
        ]
    }
}
