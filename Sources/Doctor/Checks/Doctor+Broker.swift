// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CLibcrypto
import Collector
import Configuration
import Foundation
import Gateway
import Glibc
import Health
import MQTT
import Platform
import Publisher
import Readings

extension Doctor {
    /// Warn of certificates that end within this number of days.
    private static let soon: Int64 = 30

    func certificates() -> [Finding] {
        let tls = settings.mqtt.tls
        let files: [(String, String?)] = [
            ("the authority of the broker (mqtt.tls.ca_file)", tls?.caFile),
            ("the gateway's certificate (mqtt.tls.certificate_file)", tls?.certificateFile),
            ("the page's certificate (page.certificate_file)", settings.page.certificateFile),
        ]
        let findings = files.compactMap { name, file in file.map { certificate(name, $0) } }
        return findings.isEmpty ? [Finding("certificates", .fine, "none is configured")] : findings
    }

    private func certificate(_ name: String, _ file: String) -> Finding {
        let check = "certificates"
        var (begin, end): (Int64, Int64) = (0, 0)
        let count = certificate_dates(surroundings.root + file, &begin, &end)
        guard count > 0 else {
            return count < 0
                ? Finding(
                    check, .unknown, "\(name), \(file), cannot be read by you", "Ask as root: \(.martlet(.doctor))")
                : Finding(check, .failure, "\(name), \(file), has no certificate in PEM", "Put it there again.")
        }
        let now = surroundings.now()
        let date = Date(timeIntervalSince1970: TimeInterval(end)).formatted(.iso8601.year().month().day())
        if end <= now { return Finding(check, .failure, "\(name) has ended on \(date): \(file)", "Renew it.") }
        if begin > now {
            return Finding(check, .failure, "\(name) is not good yet: \(file)", "Is the clock right? See above.")
        }
        let days = (end - now) / 86_400
        return days < Self.soon
            ? Finding(check, .warning, "\(name) ends in \(days) days, on \(date)", "Renew it: \(file)")
            : Finding(check, .fine, "\(name) is good until \(date)")
    }

    /// Connects to each broker as the gateway would, but with a client ID of its own.
    func broker() -> [Finding] {
        let check = "broker"
        if let status {
            let address = settings.mqtt.addresses.first { "\($0)" == status.mqtt.broker }
            let problems = problems(of: check, hint: address.map(Self.byHand))
            guard problems.isEmpty else { return problems }
            guard status.mqtt.connected else {
                return [Finding(check, .note, "\(status.mqtt.broker) is not connected yet")]
            }
            let waiting = status.journal.buffered
            let said = "\(status.mqtt.broker) is connected" + acknowledged(status)
            guard status.mqtt.historyMode == HistoryMode.paused.rawValue, waiting > 0 else {
                return [Finding(check, .fine, said)]
            }
            // The live lane alone proves nothing of the readings that wait.
            let readings = waiting == 1 ? "1 reading waits" : "\(waiting) readings wait"
            return [
                Finding(
                    check, .warning, said + "; history is paused, and \(readings)", "\(.martlet(.resumeHistory))")
            ]
        }
        guard case .success(let configuration) = configuration else {
            return [Finding(check, .unknown, "which broker is meant is not known: see the configuration")]
        }
        // With the same ID, the broker would mistake the doctor for a starting gateway of this name.
        let name = (configuration.mqtt.clientID ?? "martlet-\(configuration.gateway)") + "-doctor"
        return configuration.mqtt.addresses.map { address in
            do throws(MQTTFailure) {
                let answer = try BrokerCheck.run(configuration.mqtt, at: address, clientID: name, now: { .now })
                return Finding(check, .fine, "\(address) takes the gateway, by MQTT \(answer.version.rawValue)")
            } catch {
                return Finding(
                    check, .failure, error.explained(at: address, configuration.mqtt),
                    Self.remedy(for: error, at: address))
            }
        }
    }

    /// The newest proof of each lane.
    private func acknowledged(_ status: GatewayStatus) -> String {
        let lanes = [("live", status.proofs?.liveAckAgeMs), ("history", status.proofs?.historyAckAgeMs)]
        let ages = lanes.compactMap { lane, age in age.map { "\(lane) \(SpokenTime.of($0)) ago" } }
        return ages.isEmpty
            ? "; no reading was acknowledged since the gateway started"
            : "; readings were acknowledged: " + ages.joined(separator: ", ")
    }

    private static func byHand(_ address: BrokerAddress) -> Advice {
        "Test it by hand: mosquitto_sub -h \(AdvisedCommand.quoted(address.host)) -p \(address.port) -t '$SYS/#' -C 1 -v"
    }

    /// The remedy for a broker without success.
    private static func remedy(for failure: MQTTFailure, at address: BrokerAddress) -> Advice {
        switch failure {
        case .system(ECONNREFUSED) where isHere(address):
            return
                "No broker runs on this machine. Install a broker, or name yours by host and port below [mqtt]."
        case .system, .unknownHost, .lookupTimedOut, .noAnswer, .cutAnswer, .noHandshake,
            .speaksHTTP:
            return "Look at host and port below [mqtt]. " + byHand(address)
        case .refused(let reason) where reason == .badUserNameOrPassword || reason == .notAuthorized:
            return "Look at username and password_file below [mqtt]. " + byHand(address)
        default: return byHand(address)
        }
    }

    private static func isHere(_ address: BrokerAddress) -> Bool {
        ["localhost", "127.0.0.1", "::1"].contains(address.host.lowercased())
    }
}
