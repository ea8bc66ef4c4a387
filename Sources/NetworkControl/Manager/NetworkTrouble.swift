// SPDX-License-Identifier: Apache-2.0

/// A failure with its text for the log. Never with a secret.
struct NetworkTrouble: Error, Equatable {
    var failure: NetworkFailure
    var words: String

    init(_ failure: NetworkFailure, _ words: String) {
        self.failure = failure
        self.words = words
    }

    init(_ cause: BusFailure, doing what: String) {
        let failure: NetworkFailure = cause.isAbsence ? .noManager : cause.isSilence ? .timedOut : .failed
        self.init(failure, "\(what): \(cause.message) (\(cause.name))")
    }
}
