// SPDX-License-Identifier: Apache-2.0

/// The Sparkplug B settings. The gateway's name is the edge node's name.
package struct SparkplugConfiguration: Equatable, Sendable {
    /// The edge node's group: a level of a topic.
    package var group = "martlet"
    /// Without this host application nothing is sent; nil: no wait for a host.
    package var primaryHost: String?

    package init() {}
}
