// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The program's exit statuses.
enum ExitStatus {
    static let failure = ExitCode(1)
    static let usage = ExitCode(2)
    static let configuration = ExitCode(78)
}
