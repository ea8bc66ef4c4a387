// SPDX-License-Identifier: Apache-2.0

/// The names of the operations, written only here: the table of operations has a row for each name. A name is the verb
/// of the command line, with hyphens between words.
package enum OperationName: String, CaseIterable, Codable, Sendable {
    case status
    case devices
    case why
    case accept
    case forget
    case key
    case passkey
    case trust
    case rename
    case acknowledge
    case maintenance
    case chart
    case read
    case write
    case inspect
    case pair
    case unpair
    case bonds
    case bufferStats = "buffer-stats"
    case bufferPause = "buffer-pause"
    case bufferResume = "buffer-resume"
    case bufferDrain = "buffer-drain"
    case bufferPurge = "buffer-purge"
    case bufferCompact = "buffer-compact"
    case clock
    case clockSet = "clock-set"
    case configuration
    case checkConfig = "check-config"
    case settings
    case settingsCheck = "settings-check"
    case settingsApply = "settings-apply"
    case settingsUndo = "settings-undo"
    case supportBundle = "support-bundle"
    case supportText = "support-text"
    case provision
    case provisionOpen = "provision-open"
    case provisionLabel = "provision-label"
    case identify
    case update
    case restart
    case log
    case factoryReset = "factory-reset"

    /// The first words of the verb, as part of the name; nil: the verb is one word.
    private var head: String? {
        switch self {
        case .clockSet: Self.clock.rawValue
        case .provisionOpen, .provisionLabel: Self.provision.rawValue
        default: rawValue.hasPrefix(Self.buffer + "-") ? Self.buffer : nil
        }
    }

    /// The last word of the verb: `pause` of `martlet buffer pause`.
    package var word: String { head.map { String(rawValue.dropFirst($0.count + 1)) } ?? rawValue }

    /// The command line's verb: `buffer pause`.
    package var verb: String { (head.map { $0 + " " } ?? "") + word }

    /// The first word of all operations on the buffer.
    package static let buffer = "buffer"
}
