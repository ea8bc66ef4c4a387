// SPDX-License-Identifier: Apache-2.0

/// The ports that the administrator's own files open to the network: the page's, where `/metrics` is served, too.
///
/// The firewall of the flashed image follows these files alone. The gateway's own file has no say, so a gateway in foreign hands
/// opens nothing.
package enum OpenPorts {
    /// Ports from 1, sorted. Keys of other sections are not looked at, and no file is opened that the configuration names.
    ///
    /// - Parameter path: martlet.toml.
    /// - Throws: The mistakes of the files: a gateway does not start with them.
    package static func named(by path: String = GatewayConfiguration.defaultPath) throws(ConfigurationError) -> [UInt16]
    {
        var reader = ConfigurationReader(gateway: GatewayName.unnamed)
        let (more, issue) = GatewayConfiguration.filesBeside(path)
        if let issue { reader.fail(issue) }
        for file in [path] + more {
            switch GatewayConfiguration.contents(of: file) {
            case .success(let text): reader.add(text, file: file)
            case .failure(let issue): reader.fail(ConfigurationIssue(file: file, line: 0, issue.reason))
            }
        }
        guard reader.issues.isEmpty else { throw ConfigurationError(reader.issues) }
        guard let address = reader.configuration.page.address, !address.isLoopback else { return [] }
        return [address.port]
    }
}
