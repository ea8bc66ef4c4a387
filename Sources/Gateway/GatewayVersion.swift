// SPDX-License-Identifier: Apache-2.0

/// The version of the program.
package enum GatewayVersion {
    package static let current = "0.1.0"
}
