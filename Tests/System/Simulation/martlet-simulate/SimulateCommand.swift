// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BluetoothCore
import Dispatch
import Gateway
import MQTT
import Platform
import Publisher
import Simulation

/// `martlet-simulate`: the load of many gateways at a broker.
@main
struct SimulateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "martlet-simulate",
        abstract: "Put the load of many gateways on a broker.",
        discussion: """
            Each gateway has an MQTT session of its own and does what a gateway does: status with a will, information, \
            availability of its sensors, then readings with QoS 1. Gateways are called sim-000001 and so on, and no two \
            share a sensor. A consumer has lost nothing when it has every (gw, n) from 1.

            This is real load, and goes to everybody who subscribes: use it on brokers of your own. After --seconds, \
            or Ctrl-C, what was made is delivered, the gateways say offline, and what they retain is taken back, for as \
            long as the broker takes it; after 10 seconds without an answer, or a second Ctrl-C, they are gone without \
            that. A call with the same options and --seconds 0 takes back its remains.

            Ends with status 1 when a reading was not acknowledged, or a gateway was not connected.

            Examples:
              martlet-simulate --gateways 100                           # on this machine
              martlet-simulate --gateways 5000 --interval 10            # more readings
              martlet-simulate --gateways 20 --rate 2000 --json         # for programs
              martlet-simulate --gateways 500 --broker b1.example.org   # elsewhere
            """)

    @Option(help: ArgumentHelp("How many gateways, each with a session of its own.", valueName: "count"))
    var gateways: Int

    @Option(help: ArgumentHelp("Sensors of each gateway.", valueName: "count"))
    var sensors = 10

    @Option(
        help: ArgumentHelp("Seconds from one reading of a sensor to the next; 60 if not given.", valueName: "seconds"))
    var interval: Double?

    @Option(
        help: ArgumentHelp(
            "Readings a second of all gateways together, instead of --interval.", valueName: "readings"))
    var rate: Double?

    @OptionGroup(title: "Broker")
    var broker: SimulatedBrokerOptions

    @Option(help: ArgumentHelp("How long, from when the last gateway has begun to connect.", valueName: "seconds"))
    var seconds = 60.0

    @Option(help: ArgumentHelp("Gateways that connect in a second.", valueName: "count"))
    var ramp = 100

    @Option(
        help: ArgumentHelp(
            "Number of the first gateway: for several machines that share a load.", valueName: "number"))
    var first = 1

    @Option(help: ArgumentHelp("Equal seeds make equal values.", valueName: "number"))
    var seed: UInt64 = 1

    @Flag(help: "Leave at the broker what is retained there.")
    var keepRetained = false

    @Flag(help: "Print JSON in the end; progress goes to standard error in any case.")
    var json = false

    func validate() throws {
        guard (1...999_999).contains(gateways) else { throw ValidationError("--gateways is 1 to 999999") }
        guard (1...1_000).contains(sensors) else { throw ValidationError("--sensors is 1 to 1000") }
        guard interval == nil || rate == nil else { throw ValidationError("Give --interval or --rate, not both") }
        if let interval, !(interval >= 0.001 && interval <= 86_400) {
            throw ValidationError("--interval is 0.001 to 86400 seconds")
        }
        if let rate, !(rate >= 0.001 && rate <= 1e7) { throw ValidationError("--rate is 0.001 to 10000000") }
        guard seconds >= 0, seconds <= 1e6 else { throw ValidationError("--seconds is 0 to 1000000") }
        guard (1...1_000_000).contains(ramp) else { throw ValidationError("--ramp is 1 to 1000000") }
        guard first >= 1, gateways <= 1_000_000 - first else {
            throw ValidationError("--first is 1 at least, and the last gateway's number 999999 at most")
        }
    }

    /// The plan from the options.
    func plan() throws -> SimulationPlan {
        var plan = SimulationPlan(try broker.configuration(), gateways: gateways)
        plan.sensors = sensors
        plan.interval =
            rate.map { .seconds(1) * (Double(gateways) * Double(sensors) / $0) } ?? .seconds(1) * (interval ?? 60)
        plan.ramp = ramp
        plan.first = first
        plan.seed = seed
        plan.clears = !keepRetained
        return plan
    }

    func run() throws {
        let plan = try plan()
        for line in SimulationText.intention(plan, seconds: seconds) { Output.error(line) }
        let simulation: Simulation
        do {
            simulation = try Simulation(plan)
        } catch {
            Output.error(SimulationText.withOptions("\(error)"))
            throw ExitCode.failure
        }
        if plan.mqtt.retain, !simulation.plan.mqtt.retain {
            Output.error("the broker retains nothing: status and availability are published all the same")
        }
        let begin = MonotonicTime.now
        let counts = attend(to: simulation)
        let report = SimulationReport(
            simulation.plan, counts, mqttVersion: simulation.protocolVersion, time: .now - begin)
        if json {
            Output.line(String(decoding: try ControlCoding.encode(report), as: UTF8.self))
        } else {
            for line in SimulationText.lines(report) { Output.line(line) }
        }
        if report.unfinished > 0, simulation.plan.clears {
            Output.error(
                "\(report.unfinished) gateways could not take back what they retain: the same call with --seconds 0 does"
            )
        }
        if !report.isGood { throw ExitCode.failure }
    }

    /// Shows the progress until the end. Begins the end in time, or on a signal.
    private func attend(to simulation: Simulation) -> SimulationCounts {
        let interrupt = DispatchSemaphore(value: 0)
        let signals = Output.signals { interrupt.signal() }
        defer { for source in signals { source.cancel() } }
        var progress = SimulationProgress(gateways: simulation.plan.gateways)
        let end = DispatchTime.now() + simulation.plan.rampTime / .seconds(1) + seconds
        var isEnding = false
        var nextLine = DispatchTime.now() + 1
        simulation.start()
        while !simulation.isOver {
            let wait = min(nextLine, isEnding ? .now() + .milliseconds(50) : end)
            let isInterrupted = interrupt.wait(timeout: wait) == .success
            if isInterrupted, isEnding { break }
            if !isEnding, isInterrupted || .now() >= end {
                isEnding = true
                simulation.end()
            }
            if .now() >= nextLine {
                nextLine = nextLine + 1
                Output.error(progress.line(simulation.counts, isEnding: isEnding))
            }
        }
        return simulation.counts
    }
}
