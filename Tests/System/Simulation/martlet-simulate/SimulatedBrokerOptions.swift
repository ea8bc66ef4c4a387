// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Configuration
import Gateway
import MQTT
import Publisher

/// The brokers of simulated gateways, and the login.
struct SimulatedBrokerOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A broker; may be given more than once: each gateway begins at another one, and goes on at the next. "
                + "127.0.0.1:1883 if not given.", valueName: "host:port"))
    var broker: [String] = []

    @Option(help: ArgumentHelp("The user of all gateways.", valueName: "name"))
    var username: String?

    @Option(help: ArgumentHelp("A file whose first line is the password.", valueName: "file"))
    var passwordFile: String?

    @Flag(help: "Speak TLS.")
    var tls = false

    @Option(
        help: ArgumentHelp(
            "PEM certificates to trust, with TLS; those of the system if not given, which each session holds in memory.",
            valueName: "file"))
    var ca: String?

    @Flag(help: "Take a certificate for another host name.")
    var insecureHostname = false

    @Option(help: ArgumentHelp("The first levels of all topics.", valueName: "levels"))
    var topicPrefix = "martlet"

    @Option(help: ArgumentHelp("Messages of a gateway that wait for their acknowledgement.", valueName: "count"))
    var inFlight = 20

    @Option(help: ArgumentHelp("Keep-alive of each session.", valueName: "seconds"))
    var keepAlive = 30

    @Flag(help: "Retain nothing: for brokers that end a connection over it.")
    var noRetain = false

    private var hasTLS: Bool { tls || ca != nil }

    func validate() throws {
        for text in broker where BrokerAddress(text, port: 1883) == nil {
            throw ValidationError("--broker is HOST, HOST:PORT or [ADDRESS]:PORT, not \(text)")
        }
        guard passwordFile == nil || username != nil else { throw ValidationError("--password-file needs --username") }
        guard !insecureHostname || hasTLS else { throw ValidationError("--insecure-hostname needs --tls or --ca") }
        guard (1...1_000).contains(inFlight) else { throw ValidationError("--in-flight is 1 to 1000") }
        guard (5...65_535).contains(keepAlive) else { throw ValidationError("--keep-alive is 5 to 65535 seconds") }
        let levels = topicPrefix.split(separator: "/", omittingEmptySubsequences: false)
        guard topicPrefix.utf8.count <= 256, !levels.contains(where: \.isEmpty),
            topicPrefix.allSatisfy({ $0 != "+" && $0 != "#" && !($0.isASCII && $0 < " ") })
        else { throw ValidationError("--topic-prefix is one or more levels, without + and #") }
    }

    func configuration() throws -> MQTTConfiguration {
        var mqtt = MQTTConfiguration()
        mqtt.port = hasTLS ? 8883 : 1883
        mqtt.host = "127.0.0.1"
        mqtt.brokers = broker
        mqtt.username = username
        if let passwordFile {
            switch GatewayConfiguration.secret(inFile: passwordFile) {
            case .success(let secret): mqtt.password = secret
            case .failure(let issue):
                Output.error("--password-file: \(issue.reason)")
                throw ExitCode.validationFailure
            }
        }
        if hasTLS { mqtt.tls = MQTTOptions.TLS(caFile: ca, verifyHostname: !insecureHostname) }
        mqtt.topicPrefix = topicPrefix
        mqtt.maximumInFlight = inFlight
        mqtt.keepAliveSeconds = keepAlive
        mqtt.retain = !noRetain
        return mqtt
    }
}
