// SPDX-License-Identifier: Apache-2.0

import Health

/// The bounds of a configuration text that a client has sent. The reader opens no file named in the text, and looks for
/// none: so the answer reveals nothing about this machine. The time is limited, too.
package struct ForeignText: Sendable {
    /// Octets of the longest text. 512 sensors with all their keys need 100 KiB.
    static let longest = 131_072
    /// After this number of mistakes, the reader stops.
    package static let maximumIssues = 100

    /// The moment at which the reader stops.
    let deadline: ContinuousClock.Instant
    /// Keys whose value is the name of a file, such as `mqtt.password_file`.
    var files: Set<String> = []

    init(until deadline: ContinuousClock.Instant) { self.deadline = deadline }

    /// The checks left out, in sentences.
    var omissions: [String] {
        files.sorted().map {
            Advice.here("the file of \($0) was not looked at: «\(.martlet(.checkConfig))», at the gateway, looks at it")
        }
    }
}

extension ConfigurationReader {
    /// The reader has reached a bound.
    func isSpent(_ issues: Int) -> Bool {
        guard let foreign else { return false }
        return issues >= ForeignText.maximumIssues || ContinuousClock.now >= foreign.deadline
    }
}

extension GatewayConfiguration {
    /// Checks a text that a client has sent, as if it were martlet.toml. Opens no file.
    ///
    /// - Parameter deadline: Reading ends then, with an issue that reports the end.
    ///
    /// - Returns: Warnings, and the checks left out.
    package static func check(
        foreign text: String, file: String, gateway: String, until deadline: ContinuousClock.Instant
    ) throws(ConfigurationError) -> [String] {
        guard text.utf8.count <= ForeignText.longest else {
            let limit = "a text that is checked here has at most \(ForeignText.longest / 1024) KiB"
            throw ConfigurationError([ConfigurationIssue(file: file, line: 0, limit)])
        }
        var reader = ConfigurationReader(gateway: gateway)
        reader.foreign = ForeignText(until: deadline)
        reader.add(text, file: file)
        guard ContinuousClock.now < deadline else {
            throw ConfigurationError([ConfigurationIssue(file: file, line: 0, "the check took too long and was ended")])
        }
        return try finish(reader, environment: [:], isCheck: true).warnings
    }
}
