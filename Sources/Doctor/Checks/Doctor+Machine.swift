// SPDX-License-Identifier: Apache-2.0

import Gateway
import Health
import Platform

extension Doctor {
    /// The machine: its temperature and its power.
    func machine() -> [Finding] {
        let model = surroundings.model.map { $0 + ", " } ?? ""
        let kernel = surroundings.line("/proc/sys/kernel/osrelease").map { "Linux \($0)" } ?? "kernel unknown"
        let place = surroundings.isContainer ? ", in a container" : ""
        var findings = [Finding("machine", .fine, model + kernel + place)]
        let degrees = surroundings.line(SystemStatus.thermometer).flatMap(SystemStatus.degrees)
        let supply = surroundings.line(PowerSupply.path).flatMap(PowerSupply.init(flags:))
        if status == nil {
            findings += GatewayConditions.machine(SystemStatus(temperatureC: degrees, supply: supply), at: nil)
                .map(finding)
        } else {
            findings += problems(of: "machine")
        }
        if let degrees, degrees < SystemStatus.hot {
            findings.append(Finding("machine", .fine, "the processor has \(Int(degrees.rounded())) °C"))
        }
        return findings + memory()
    }

    /// The memory allocated by the running gateway.
    private func memory() -> [Finding] {
        guard let memory = status?.system?.memory, !memory.isGrowing else { return [] }
        let own = GatewayConditions.mebibytes(memory.ownBytes)
        return [Finding("machine", .fine, "the gateway has \(own) of memory for itself")]
    }
}
