// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Dispatch
import Gateway
import Glibc
import Logging

struct DemoCommand: ListedCommand {
    static let place = HelpPlace(.settingUp, 10)
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Watch the gateway at work: simulated sensors, a private broker, no hardware.",
        discussion: """
            Simulated sensors in a simulated air, a private mosquitto on a free loopback port, a journal in a temporary \
            folder, and the real gateway between them. Now and then a link is dropped on purpose.
            Ends with status 0 only if readings were delivered and none was lost.

            With --provision the gateway knows nothing at first: a phone sets it up over the simulated air, while you read
            along. Ends by itself, with status 0 only if readings arrived.
            """,
        examples: [
            "martlet demo": "until Ctrl-C",
            "martlet demo --seconds 20 --sensors 12": "ends by itself",
            "martlet demo --provision": "a phone sets it up; ends by itself",
        ])

    @Option(help: ArgumentHelp("End after so many seconds; without it, when interrupted.", valueName: "seconds"))
    var seconds: Double?

    @Option(help: ArgumentHelp("How many sensors to simulate.", valueName: "count"))
    var sensors = 5

    @Flag(help: "Show how a phone sets up a new gateway.")
    var provision = false

    @Option(help: ArgumentHelp("Also log to standard error, from this level on.", valueName: "level"))
    var logLevel: Logger.Level?

    func validate() throws {
        guard (1...200).contains(sensors) else { throw ValidationError("--sensors is 1 to 200") }
        if let seconds, !(seconds > 0 && seconds <= 1e6) { throw ValidationError("--seconds is more than 0") }
    }

    private func provisionGateway() throws {
        var demonstration: ProvisionDemonstration?
        do {
            let new = try ProvisionDemonstration()
            demonstration = new
            try new.run()
            new.stop()
        } catch {
            Output.error("\n✗ \(error)")
            for line in demonstration?.gatewayLog ?? [] { Output.error("  gateway: \(line)") }
            demonstration?.stop()
            throw ExitStatus.failure
        }
    }

    func run() throws {
        if provision { return try provisionGateway() }
        let logger = Logger(label: "martlet") { _ in
            if let logLevel { LineLogHandler(level: logLevel) } else { SwiftLogNoOpLogHandler() }
        }
        let end = DispatchSemaphore(value: 0)
        let signals = SignalWatch()
        signals.on(SIGTERM, SIGINT, queue: DispatchQueue(label: "martlet.signals")) { end.signal() }
        let screen: any DemoScreen = Output.isTerminal ? LiveScreen() : PlainScreen()
        let demonstration: Demonstration
        do {
            demonstration = try Demonstration(sensors: sensors, logger: logger)
        } catch {
            Output.error("the demonstration cannot start: \(error)")
            throw ExitStatus.failure
        }
        screen.begin()
        let deadline = seconds.map { DispatchTime.now() + $0 }
        while true {
            let next = DispatchTime.now() + screen.interval
            let isOver = end.wait(timeout: min(next, deadline ?? next)) == .success
            if isOver || deadline.map({ $0 <= .now() }) ?? false { break }
            demonstration.turn()
            screen.show(demonstration.frame())
        }
        screen.end()
        Output.line("Stopping: sensors fall silent, the rest is delivered…")
        let books = demonstration.finish()
        withExtendedLifetime(signals) { for line in books.lines { Output.line(line) } }
        if !books.isGood { throw ExitStatus.failure }
    }
}
