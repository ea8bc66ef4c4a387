// SPDX-License-Identifier: Apache-2.0

import CMosquitto

/// The return codes of libmosquitto's calls that callers tell apart.
package enum LibraryCode {
    package static let connectionLost = Int32(MOSQ_ERR_CONN_LOST.rawValue)
    package static let protocolError = Int32(MOSQ_ERR_PROTOCOL.rawValue)
    package static let malformedPacket = Int32(MOSQ_ERR_MALFORMED_PACKET.rawValue)
    package static let tls = Int32(MOSQ_ERR_TLS.rawValue)
}
