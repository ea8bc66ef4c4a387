// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore

/// A procedure that the host begins on a link on its own account. No value of a client needs the procedure, or another
/// procedure takes its place. The host omits it with a peer whose links end during the procedure.
package enum OwnProcedure: String, CaseIterable, Sendable {
    /// Core 5.4, Vol 3, Part F, 3.4.2.
    case mtuExchange = "the exchange of MTUs"
    /// Core 5.4, Vol 3, Part G, 7.3.
    case databaseHash = "the reading of Database Hash"
    /// Core 5.4, Vol 3, Part G, 7.1 and 7.2.
    case serviceWatch = "the subscription to Service Changed"
    /// Core 5.4, Vol 3, Part C, 12.1.
    case deviceName = "the reading of Device Name"
    /// By Find By Type Value. The client finds the services among all services instead. Core 5.4, Vol 3, Part G, 4.4.2.
    case serviceSearch = "the search for services by UUID"
    /// By Find Information. Core 5.4, Vol 3, Part G, 4.7.1.
    case descriptorSearch = "the search for the descriptor that switches notifications on"
    /// Beyond Find Information. Core 5.4, Vol 3, Part G, 3.3.3.3.
    case configurationSearch = "the further search for the descriptor that switches notifications on"
    /// Core 5.4, Vol 6, Part B, 5.1.4.
    case featureExchange = "the exchange of features"
    /// Core 5.4, Vol 6, Part B, 5.1.9.
    case dataLength = "the request for longer packets"
    /// Core 5.4, Vol 6, Part B, 5.1.10.
    case phy = "the change to LE 2M"
    /// Core 5.4, Vol 6, Part B, 5.1.1.
    case parameters = "the change of connection parameters"
}

extension GATTRequest {
    /// The host's own procedure behind this request; nil if a client's values need the request.
    var ownProcedure: OwnProcedure? {
        switch self {
        case .watchServices: .serviceWatch
        case .readByType(let type) where type.short == GATTAttributeType.deviceName: .deviceName
        default: nil
        }
    }

    /// The answer to an omitted request.
    var omitted: Result<GATTResponse, GATTError>? {
        switch ownProcedure {
        case .serviceWatch: .success(.characteristics([]))
        case .deviceName: .failure(.refused(.attributeNotFound))
        default: nil
        }
    }
}
