// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Configuration
import Gateway
import Glibc
import Journal
import Logging
import Platform

extension ControlOptions {
    /// Works on the journal while no gateway runs. Takes the journal's lock, so that no gateway starts meanwhile.
    func withJournal<Result>(_ body: (Journal) throws -> Result?) throws -> Result {
        var options = ConfigurationOptions()
        options.config = config
        let configuration = try options.load().journal
        do {
            guard access(configuration.path, F_OK) == 0 else {
                throw JournalError.failed(path: configuration.path, reason: String(cString: strerror(errno)))
            }
            let logger = Logger(label: "martlet") { _ in LineLogHandler(level: .error) }
            return try JournalOptions.withRights(to: configuration.path) {
                let journal = try Journal(configuration, clock: .system, logger: logger)
                defer { journal.close() }
                guard let result = try body(journal) else { throw ExitStatus.failure }
                return result
            }
        } catch let error as JournalError {
            throw JournalOptions.failure(error)
        }
    }
}
