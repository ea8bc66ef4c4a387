// SPDX-License-Identifier: Apache-2.0

import Gateway
import Health
import Platform

extension Doctor {
    /// From this temperature in °C on, a Raspberry Pi slows itself down.
    private static let hot = 80.0

    /// The machine: its temperature and its power.
    func machine() -> [Finding] {
        let model = surroundings.model.map { $0 + ", " } ?? ""
        let kernel = surroundings.line("/proc/sys/kernel/osrelease").map { "Linux \($0)" } ?? "kernel unknown"
        let place = surroundings.isContainer ? ", in a container" : ""
        var findings = [Finding("machine", .fine, model + kernel + place)]
        if let milli = surroundings.line("/sys/class/thermal/thermal_zone0/temp").flatMap(Double.init) {
            let degrees = milli / 1_000
            let text = "the processor has \(Int(degrees.rounded())) °C"
            findings.append(
                degrees >= Self.hot
                    ? Finding(
                        "machine", .warning, text, "Give it air or a heat sink: from 80 °C on it slows itself down.")
                    : Finding("machine", .fine, text))
        }
        // Bits of the firmware: 0: under-voltage now; 16: under-voltage since the start.
        if let text = surroundings.line("/sys/devices/platform/soc/soc:firmware/get_throttled"),
            let bits = UInt32(text, radix: 16)
        {
            let supply: Advice =
                "Use the supply that the board's maker sells: radios are the first that fail for want of power."
            if bits & 1 != 0 {
                findings.append(Finding("machine", .failure, "the power supply is too weak, now", supply))
            } else if bits & 1 << 16 != 0 {
                findings.append(Finding("machine", .warning, "the power supply was too weak since the start", supply))
            }
        }
        return findings + memory()
    }

    /// The memory allocated by the running gateway.
    private func memory() -> [Finding] {
        guard let memory = status?.system?.memory else { return [] }
        let own = Self.mebibytes(memory.ownBytes)
        guard memory.isGrowing, let first = memory.hourlyLows.first, let last = memory.hourlyLows.last else {
            return [Finding("machine", .fine, "the gateway has \(own) of memory for itself")]
        }
        return [
            Finding(
                "machine", .warning,
                "the gateway's own memory grows: from \(Self.mebibytes(first)) to \(Self.mebibytes(last)) in "
                    + "\(memory.hourlyLows.count - 1) hours",
                "Perhaps it is a fault of the program. Write a report with \(.martlet(.supportBundle, "report.txt")), then: "
                    + "\(.machine(.restart))")
        ]
    }

    private static func mebibytes(_ octets: UInt64) -> String {
        let tenths = octets / (1 << 20) * 10 + octets % (1 << 20) * 10 / (1 << 20)
        return "\(tenths / 10).\(tenths % 10) MiB"
    }
}
