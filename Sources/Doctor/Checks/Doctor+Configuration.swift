// SPDX-License-Identifier: Apache-2.0

import Configuration
import Gateway
import Glibc
import Health

extension Doctor {
    func configurationFindings() -> [Finding] {
        let check = "configuration"
        switch configuration {
        case .failure(let error):
            if !surroundings.exists(path) {
                return [
                    Finding(
                        check, .failure, "there is no \(path)",
                        "Copy /usr/share/doc/martlet/examples/martlet.toml there and change it, or name your own with "
                            + "--config; \(.martlet(.checkConfig)) says whether it is good.")
                ]
            }
            let isHidden = !surroundings.isWritable(path) && surroundings.text(path) == nil
            return error.issues.map { issue in
                isHidden
                    ? Finding(check, .unknown, "\(issue)", "Ask as root: \(.martlet(.doctor))")
                    : Finding(check, .failure, "\(issue)", "Change it, then run: \(.martlet(.checkConfig))")
            }
        case .success(let configuration):
            let rules = configuration.sensors.count
            let entries = "\(rules) sensor \(rules == 1 ? "entry" : "entries")"
            var findings = [Finding(check, .fine, "\(path) is good: gateway \(configuration.gateway), \(entries)")]
            if rules == 0 {
                findings.append(
                    Finding(
                        check, .warning, "no [[sensor]] entry: nothing will be collected",
                        "\(.martlet(status == nil ? .scan : .devices)) shows what is near; \(.martlet(.accept, "ADDRESS")) takes one of these."
                    ))
            }
            findings += configuration.warnings.map { Finding(check, .warning, $0, "See docs/configuration.md.") }
            return findings
        }
    }

    /// Whether the gateway runs, and whether a service manager would start it again.
    func service() -> [Finding] {
        let check = "service"
        var findings: [Finding] = []
        switch running {
        case .answers(let status):
            findings.append(Finding(check, .fine, "the gateway \(status.gateway) runs, since \(status.uptimeS) s"))
            findings += problems(of: check)
        case .silent(let reason):
            findings.append(Finding(check, .note, "no gateway answers (\(reason))"))
        }
        guard let unit = surroundings.unit("martlet.service") else {
            let isThere = surroundings.hasSystemd
            return findings + [
                Finding(
                    check, isThere ? .unknown : .note,
                    isThere ? "systemd does not answer" : "there is no systemd here: nothing starts a gateway again")
            ]
        }
        guard unit["LoadState"] == "loaded" else {
            return findings + [
                Finding(
                    check, status == nil ? .warning : .note, "systemd has no martlet.service",
                    "Install the package, so that it starts with the machine: docs/installing.md.")
            ]
        }
        let state = unit["ActiveState"] ?? "unknown"
        if state == "failed" || unit["SubState"] == "auto-restart" {
            let how = unit["Result"].map { " (\($0), status \(unit["ExecMainStatus"] ?? "?"))" } ?? ""
            findings.append(
                Finding(
                    check, .failure, "martlet.service has failed\(how)",
                    "Why is in its log: \(.machine(.log))"))
        } else if state == "activating" {
            findings.append(
                Finding(check, .warning, "martlet.service is starting", "Ask again in a few seconds."))
        } else if state != "active" {
            let isByHand = status != nil
            findings.append(
                Finding(
                    check, isByHand ? .note : .failure,
                    "martlet.service is \(state)" + (isByHand ? ": this gateway was started without it" : ""),
                    isByHand ? nil : "Start it: \(.machine(.enable))"))
        } else if let restarts = unit["NRestarts"].flatMap(Int.init), restarts > 0 {
            findings.append(
                Finding(
                    check, .warning, "martlet.service was started again \(restarts) times since the machine started",
                    "Why is in its log: \(.machine(.log))"))
        }
        if unit["UnitFileState"] == "disabled" {
            findings.append(
                Finding(
                    check, .warning, "martlet.service does not start with the machine",
                    "\(.machine(.enable))"))
        }
        return findings
    }
}
