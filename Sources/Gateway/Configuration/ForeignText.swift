// SPDX-License-Identifier: Apache-2.0

/// The bounds of a configuration text that somebody has sent: it names files, and none of them is opened or looked for, so
/// that the answer tells nothing of this machine; and it costs only so much time.
struct ForeignText: Sendable {
    /// Octets of the longest text. 512 sensors with all that one may say of them have 100 KiB.
    static let longest = 131_072
    /// Mistakes after which nothing more is looked for.
    static let maximumIssues = 100

    /// When the reader gives up.
    let deadline: ContinuousClock.Instant
    /// Keys that name files, as `mqtt.password_file`.
    var files: Set<String> = []

    init(until deadline: ContinuousClock.Instant) { self.deadline = deadline }

    /// The checks that were left out, in sentences.
    var omissions: [String] {
        files.sorted().map {
            "the file of \($0) was not looked at: martlet check-config, at the gateway, looks at it"
        }
    }
}

extension ConfigurationReader {
    /// Nothing more is looked at.
    func isSpent(_ issues: Int) -> Bool {
        guard let foreign else { return false }
        return issues >= ForeignText.maximumIssues || ContinuousClock.now >= foreign.deadline
    }
}

extension GatewayConfiguration {
    /// What a text that somebody has sent would be as martlet.toml. Opens no file.
    ///
    /// - Parameter deadline: Reading ends then, with an issue that says so.
    /// - Returns: What is no mistake, but not in order either, and what was not looked at.
    static func check(
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
