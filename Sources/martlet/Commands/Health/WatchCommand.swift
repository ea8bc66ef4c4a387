// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Collector
import Foundation
import Gateway
import Operations

struct WatchCommand: ListedCommand {
    static let place = HelpPlace(.everyday, 20)
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Follow the readings of a running gateway.",
        discussion: """
            A line for each reading as it comes: time with its zone, sensor, values. The command looks four times a \
            second, and shows the newest reading of a faster sensor, with the number of skipped readings. Ctrl-C ends \
            the command.
            """,
        examples: [
            "martlet watch": "all sensors", "martlet watch fridge": "one sensor",
            "martlet watch --json": "for programs: one JSON object a line",
        ])

    private static let period = 0.25

    @Argument(help: "One sensor: an id, an address, an identifier or a name.", completion: SensorCompletion.kind)
    var sensor: String?

    @Option(help: ArgumentHelp("End after so many seconds.", valueName: "seconds"))
    var seconds: Double?

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var control: ControlOptions

    func validate() throws {
        if let seconds, !(seconds > 0 && seconds <= 1e6) { throw ValidationError("--seconds is more than 0") }
    }

    func run() throws {
        var watch = ReadingWatch()
        let end = seconds.map { ContinuousClock.now + .seconds($0) }
        while Output.failure == nil {
            let status = try control.ask(OperationTable.status)
            for news in watch.news(in: try wanted(status.collector)) {
                if json { try Output.json(news) } else { Output.line(Self.line(news, zone: .current)) }
            }
            if let end, .now >= end { return }
            Thread.sleep(forTimeInterval: Self.period)
        }
    }

    private func wanted(_ status: CollectorStatus) throws -> [SensorStatus] {
        guard let sensor else { return status.sensors }
        do throws(DeviceName.Unclear) {
            // An entry without a sensor has nothing to show yet.
            guard case .sensor(let found) = try status.named(sensor) else { return [] }
            return [found]
        } catch {
            Output.error(Text.plain(error.description))
            throw ExitStatus.failure
        }
    }

    /// `2026-11-23T14:05:33+01:00  fridge  5.2 °C`.
    static func line(_ news: ReadingWatch.News, zone: TimeZone) -> String {
        let time = news.value.unixMs.map { ZonedTime.text($0, zone) } ?? "time unknown"
        let skipped = news.skipped.map { "  (and \($0) before it)" } ?? ""
        let text = StatusText.value(news.value)
        return "\(time)  \(Text.plain(news.sensor))  \(text)\(skipped)"
    }
}
