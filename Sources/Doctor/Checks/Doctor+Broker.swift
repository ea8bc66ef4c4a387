// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
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
    /// A running gateway has judged its certificates with its own account.
    func certificates() -> [Finding] {
        let (check, files) = ("certificates", settings.certificates(below: surroundings.root))
        guard !files.isEmpty else { return [Finding(check, .fine, "none is configured")] }
        let now = surroundings.now()
        let conditions = GatewayConditions.machine(SystemStatus(certificates: files), at: now)
        let told = (status?.problems ?? []).filter { $0.part == check }.compactMap { $0.arguments?["subject"] }
        return problems(of: check)
            + files.filter { !told.contains($0.key) }.map { file in
                if file.isUnreadable == true {
                    return Finding(
                        check, .unknown, "\(file.key), \(file.file), cannot be read by you",
                        "Ask as root: \(.martlet(.doctor))")
                }
                if let condition = conditions.first(where: { $0.subject == file.key }) {
                    // A running gateway looks at its files each ten minutes.
                    let found = finding(condition)
                    return status == nil ? found : Finding(check, .note, found.found, "Ask again in ten minutes.")
                }
                return Finding(check, .fine, "\(file.key) is good until \(GatewayConditions.day(file.end ?? now))")
            }
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
            return [Finding(check, .fine, "\(status.mqtt.broker) is connected" + acknowledged(status))]
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
