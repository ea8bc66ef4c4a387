// SPDX-License-Identifier: Apache-2.0

/// How the gateway speaks Sparkplug B. Its name is the edge node's.
package struct SparkplugConfiguration: Equatable, Sendable {
    /// The group that the edge node is of: one level of a topic.
    package var group = "martlet"
    /// The host application without which nothing is sent; nil waits for none.
    package var primaryHost: String?

    package init() {}
}
