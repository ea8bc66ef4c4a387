// SPDX-License-Identifier: Apache-2.0

import Health
import Metrics
import Publisher
import Readings
import Testing

@testable import Collector
@testable import Configuration
@testable import Doctor
@testable import Gateway
@testable import GatewayBench
@testable import martlet

/// Every surface during ten minutes of a fault with 20 s of presence and 20 s of absence, in virtual time.
struct FlappingSurfacesTests {
    /// The presence of one problem on each surface.
    private struct Look: Equatable {
        var status: Bool
        var text: Bool
        var line: Bool
        var doctor: Bool
        var metrics: Bool
        var news: Bool
    }

    /// A fault, and the number of changes of the surfaces in ten minutes.
    struct Row: Sendable, CustomTestStringConvertible {
        let code: ProblemCode
        let mostChanges: Int
        /// The line of `systemctl status` has failures, but not the failure of the broker.
        var isInLine = true
        let spoil: @Sendable (inout GatewayStatus) -> Void

        var testDescription: String { code.rawValue }
    }

    static let rows = [
        Row(code: .diskFull, mostChanges: 1) { ($0.journal.problem, $0.journal.isFull) = ("no room", true) },
        Row(code: .sensorSilent, mostChanges: 1, isInLine: false) { $0.collector.sensors[0].health = .silent },
        Row(code: .brokerUnreachable, mostChanges: 3, isInLine: false) {
            ($0.mqtt.connected, $0.mqtt.lastError) = (false, "connection refused")
        },
        Row(code: .radioDown, mostChanges: 3) { $0.controller.state = "hci0 is gone" },
        Row(code: .clockUnknown, mostChanges: 0) { $0.clock = "unsynced" },
        Row(code: .brokerRefusesReadings, mostChanges: 1) {
            ($0.mqtt.refusedSensors, $0.mqtt.lastError) = (1, "readings of s1 refused: not authorized")
        },
    ]

    private static func look(_ row: Row, _ status: GatewayStatus, _ health: GatewayHealth) -> Look {
        let shown = status.problems?.first { $0.code == row.code }
        let text = shown?.text ?? "nothing"
        let title = shown?.title ?? "nothing"
        let doctor = Doctor(
            path: "/nowhere.toml", configuration: .success(GatewayConfiguration(gateway: "g")),
            running: .answers(status))
        let findings = doctor.problems(of: shown?.part ?? "none")
        return Look(
            status: shown != nil,
            text: StatusText.lines(status).contains { $0.hasPrefix("! ") && $0.contains(text) },
            line: row.isInLine ? StatusLine.text(status).contains(text) : shown != nil,
            doctor: findings.contains { $0.found.contains(text) },
            metrics: GatewayMetrics(status).text.contains(
                "martlet_problems{code=\"\(row.code.rawValue)\"} 1\n"),
            news: health.news.problems.contains { $0.code == row.code && $0.title == title })
    }

    @Test(arguments: rows) func `each surface shows the same, and few changes`(row: Row) throws {
        var health = GatewayHealth()
        var looks: [Look] = []
        for second in stride(from: Int64(0), to: 600, by: 2) {
            var status = GatewayHealthTests.status { $0.uptimeS = Int(second) }
            if second / 20 % 2 == 0 { row.spoil(&status) }
            _ = health.judge(&status, at: second * 1_000)
            let look = Self.look(row, status, health)
            let isShown = look.status
            #expect(
                look
                    == Look(
                        status: isShown, text: isShown, line: isShown, doctor: isShown, metrics: isShown, news: isShown),
                "\(row.code) after \(second) s")
            looks.append(look)
        }
        let changes = zip(looks, looks.dropFirst()).count { $0 != $1 } + (looks[0].status ? 1 : 0)
        #expect(changes == row.mostChanges, "\(changes)")
        // The broker hears of each change once.
        #expect(health.news.events.count { $0.problem.code == row.code } == row.mostChanges)
    }
}
