// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

/// A simulated sensor that only advertises, and takes no connection (Core 5.4, Vol 3, Part C, 9.1.1).
package final class VirtualBroadcaster: AirNode {
    /// The properties of a broadcaster, and its packets.
    package struct Configuration: Sendable {
        package var address: DeviceAddress
        /// Time between advertising events.
        package var interval: Duration
        /// The signal strength that other nodes measure, in dBm.
        package var signalStrength: Int8
        /// False: extended advertising, for up to 1650 octets; older controllers do not hear it.
        package var isLegacy: Bool
        /// Advertises on LE Coded, with extended advertising: controllers without LE Coded hear nothing.
        package var isCoded = false
        /// The answer to scan requests; empty: the broadcaster is not scannable.
        package var scanResponse: [UInt8]
        /// Advertising events that carry one packet.
        package var repetitions: UInt32
        /// The AD structures of its packets, by their number from 0.
        package var packet: @Sendable (UInt32) -> [UInt8]

        package init(
            address: DeviceAddress, interval: Duration = .milliseconds(100), signalStrength: Int8 = -60,
            isLegacy: Bool = true, scanResponse: [UInt8] = [], repetitions: UInt32 = 3,
            packet: @escaping @Sendable (UInt32) -> [UInt8]
        ) {
            self.address = address
            self.interval = interval
            self.signalStrength = signalStrength
            self.isLegacy = isLegacy
            self.scanResponse = scanResponse
            self.repetitions = max(repetitions, 1)
            self.packet = packet
        }
    }

    unowned let air: VirtualAir
    let id: AirNodeID
    let configuration: Configuration
    var isInRange = true
    private var events: UInt32 = 0
    /// The number of the newest packet that was reported to a host.
    private var newestTold: UInt32?
    /// Packets that were reported to a host, each counted once.
    private(set) var toldPackets = 0

    init(air: VirtualAir, id: AirNodeID, configuration: Configuration) {
        self.air = air
        self.id = id
        self.configuration = configuration
    }

    func start() { schedule() }

    /// Packets that the broadcaster has begun to send.
    var packets: UInt32 { events / configuration.repetitions + (events % configuration.repetitions == 0 ? 0 : 1) }

    private func schedule() {
        let delay = configuration.interval + .microseconds(air.random.below(10_000))
        air.agenda.add(.node(id, .advertise(set: nil), generation: 0), at: air.now + delay)
    }

    func occur(_ occasion: NodeOccasion, generation: UInt32) {
        guard case .advertise = occasion else { return }
        let number = events / configuration.repetitions
        let data = configuration.packet(number)
        events &+= 1
        let isTold = air.transmit(
            AdvertisingPDU(
                advertiser: configuration.address, isConnectable: false,
                isScannable: !configuration.scanResponse.isEmpty,
                isLegacy: configuration.isLegacy && !configuration.isCoded, data: data,
                scanResponse: configuration.scanResponse, primaryPHY: configuration.isCoded ? 3 : 1,
                secondaryPHY: configuration.isLegacy && !configuration.isCoded ? 0 : configuration.isCoded ? 3 : 1),
            from: self)
        if isTold, newestTold != number {
            newestTold = number
            toldPackets += 1
        }
        schedule()
    }

    // MARK: As a radio

    var signalStrength: Int8 { configuration.signalStrength }
    var leFeatures: LEFeatures { [] }
    var wantedTransmitOctets: Int { 27 }
    var acceptsData: Bool { false }

    func acceptsScanRequest(from scanner: DeviceAddress, set: UInt8?) -> Bool { !configuration.scanResponse.isEmpty }
    func acceptsConnection(from initiator: DeviceAddress, set: UInt8?) -> Bool { false }

    // A broadcaster never has a link.
    func linkOpened(_ link: Link, as role: LinkRole, set: UInt8?) {}
    func linkClosed(_ link: Link, as role: LinkRole, reason: HCIStatus) {}
    func received(_ octets: ArraySlice<UInt8>, isStart: Bool, on link: Link) {}
    func acknowledged(_ token: Int?, on link: Link) {}
    func eventEnded(on link: Link) {}
    func notified(_ notice: LinkNotice, on link: Link, as role: LinkRole) {}
    func forgetLinks() {}
}
