// SPDX-License-Identifier: Apache-2.0

/// Operations that advice speaks of. The module `Health`, which gives advice, is below the table of operations.
extension OperationName {
    package static let accept = Self("accept")
    package static let bonds = Self("bonds")
    package static let bufferDrain = Self("drain", of: buffer)
    package static let bufferResume = Self("resume", of: buffer)
    package static let bufferStats = Self("stats", of: buffer)
    package static let checkConfig = Self("check-config")
    package static let clockSet = Self("set", of: clockGroup)
    package static let devices = Self("devices")
    package static let inspect = Self("inspect")
    package static let key = Self("key")
    package static let maintenance = Self("maintenance")
    package static let pair = Self("pair")
    package static let provisionLabel = Self("label", of: provisionGroup)
    package static let provisionOpen = Self("open", of: provisionGroup)
    package static let status = Self("status")
    package static let supportBundle = Self("support-bundle")
    package static let trust = Self("trust")
    package static let unpair = Self("unpair")
    package static let why = Self("why")
}
