// SPDX-License-Identifier: Apache-2.0

import Doctor

/// The texts of `martlet selftest` for people.
enum SelfTestText {
    static func lines(_ report: SelfTestReport, folder: String) -> [String] {
        let board = report.board
        func line(_ name: String, _ parts: [String?]) -> String {
            Text.fit(name, 16) + Text.plain(parts.compactMap { $0 }.joined(separator: ", "), limit: 1_024)
        }
        var lines = [
            line("martlet", [report.version]),
            line(
                "board",
                [
                    board.model ?? "unknown", board.kernel.map { "Linux \($0)" }, "\(board.processors) processors",
                    board.memoryMib.map { "\($0) MiB" },
                ]),
            line(
                "health",
                [
                    board.temperatureC.map { "\(Int($0.rounded())) °C" } ?? "no thermometer",
                    board.wasUndervolted.map { $0 ? "the supply was too weak" : "the supply is good" },
                ]),
            line(
                "clock",
                [
                    board.isClockSynchronized.map { $0 ? "synchronized" : "no time service confirms it" } ?? "unknown",
                    board.hasRtc ? "with a battery-backed one" : "without a battery-backed one",
                ]),
            line(
                "disk",
                [
                    report.disk.map {
                        "4 KiB kept in \($0.medianMs) ms (median of \($0.writes)), \($0.worstMs) ms at worst, in \(folder)"
                    } ?? report.diskProblem.map { "cannot be measured: \($0)" }
                ]),
        ]
        guard let adapter = report.adapter else {
            return lines + [line("adapter", [report.adapterProblem ?? "there is none"])]
        }
        lines += [
            line(
                "adapter",
                [
                    "company 0x\(adapter.company)", "HCI version \(adapter.hciVersion)", adapter.bus.map { "on \($0)" },
                    "ready after \(adapter.readyMs) ms",
                ]),
            line(
                "it can",
                [
                    adapter.hasExtendedAdvertising ? "extended advertising" : "legacy advertising only",
                    adapter.hasCodedPhy ? "LE Coded" : nil,
                    adapter.resolvesPrivateAddresses ? "resolve private addresses" : nil,
                    adapter.scansWhileInitiating ? "scan while it connects" : "not scan while it connects",
                    "\(adapter.aclCount) packets of \(adapter.aclLength) octets",
                    "\(adapter.acceptListSize) entries to connect to",
                ]),
        ]
        if let heard = report.advertisements {
            lines.append(
                line(
                    "advertisements",
                    [
                        "\(heard.packetsASecond) a second from \(heard.devices) devices, in \(heard.seconds) s",
                        "the longest gap \(heard.longestGapMs) ms",
                    ]))
        }
        lines.append(line("links", report.links.map(links) ?? ["not measured: name sensors of yours with --connect"]))
        return lines
    }

    private static func links(_ links: SelfTestReport.Links) -> [String?] {
        [
            "\(links.up) at once of \(links.asked) asked for",
            links.heard < links.asked ? "\(links.asked - links.heard) were not heard" : nil,
            links.refusal.map { "one more was refused: \($0)" },
            links.connectMedianMs.map { "each after \($0) ms" },
            links.readsASecond.map { "\($0) reads a second over one, \(links.octetsASecond ?? 0) octets a second" },
        ]
    }
}
