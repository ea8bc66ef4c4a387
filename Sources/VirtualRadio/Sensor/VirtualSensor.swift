// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

/// A simulated sensor: a Peripheral with one link and a small GATT server of its own.
package final class VirtualSensor: AirNode {
    unowned let air: VirtualAir
    let id: AirNodeID
    let configuration: Configuration
    let values: SensorValues
    private(set) var table: AttributeTable
    private var hasMore = false

    var isInRange = true
    var ledger: SensorLedger
    var violations = Violations()
    var bearer: SensorBearer?
    /// The number of the next value; it continues across links.
    var sequence: UInt32 = 0
    var scratch: [UInt8] = []
    private var battery: [UInt8] = []
    private var isAdvertising = false
    private var sampling = SensorSampling()
    /// Each link, and each time between links, has its own generation; occasions of another generation are ignored.
    private var generation: UInt32 = 0
    private let switchedOnAt: MonotonicTime
    private let advertisingData: [UInt8]
    private let scanResponse: [UInt8]

    static let advertisingDelay = Duration.milliseconds(100)
    static let confirmationTimeout = Duration.seconds(30)

    init(air: VirtualAir, id: AirNodeID, configuration: Configuration) {
        self.air = air
        self.id = id
        self.configuration = configuration
        values = SensorValues(kind: configuration.kind, signal: configuration.signal)
        table = Self.table(of: configuration, values)
        ledger = SensorLedger(capacity: air.settings.ledgerCapacity)
        switchedOnAt = air.now

        let service = configuration.kind.service.attributeOctets
        let list: AdvertisingDataType = service.count == 2 ? .completeUUIDs16 : .completeUUIDs128
        // LE General Discoverable Mode, BR/EDR Not Supported.
        var advertisement =
            [2, AdvertisingDataType.flags.rawValue, 0x06, UInt8(service.count + 1), list.rawValue] + service
        let serviceData = configuration.serviceData
        if !serviceData.isEmpty {
            advertisement +=
                [UInt8(serviceData.count + 1), AdvertisingDataType.serviceData16.rawValue] + serviceData
        }
        advertisingData = advertisement
        // A long name loses whole characters until it fits.
        var name = configuration.name
        while name.utf8.count > 29 { name.removeLast() }
        let nameType: AdvertisingDataType = name == configuration.name ? .completeLocalName : .shortenedLocalName
        scanResponse = [UInt8(name.utf8.count + 1), nameType.rawValue] + Array(name.utf8)
    }

    func start() {
        battery = value(of: values.batteryStream)
        advertise()
    }

    var state: SensorState {
        SensorState(
            id: id, name: configuration.name, address: configuration.address, kind: configuration.kind,
            isInRange: isInRange, isConnected: bearer != nil, isSubscribed: isSubscribed, accepted: ledger.accepted,
            delivered: ledger.delivered)
    }

    var isSubscribed: Bool {
        guard let bearer else { return false }
        return values.measured.contains { bearer.server.isSubscribed($0) }
    }

    /// Forgets the client's subscriptions without a notice.
    func forgetSubscriptions() { bearer?.server.forgetConfigurations() }

    /// Sends no values on this link, even to a subscriber.
    func fallMute() { sampling.fallMute() }

    /// A client has written the sensor's command on this link.
    func commanded() {
        sampling.commanded()
        startSampling()
    }

    /// Adds a service, or takes it away again; handles behind it move.
    func changeTable() {
        hasMore.toggle()
        table = Self.table(of: configuration, values, hasMore: hasMore)
        bearer?.server.replace(table)
    }

    private static func table(
        of configuration: Configuration, _ values: SensorValues, hasMore: Bool = false
    ) -> AttributeTable {
        values.table(
            name: configuration.name, hasDatabaseHash: configuration.hasDatabaseHash, hasMore: hasMore,
            furtherServices: configuration.furtherServices, oddities: configuration.oddities)
    }

    // MARK: As a radio

    var signalStrength: Int8 { configuration.signalStrength }
    var leFeatures: LEFeatures { [.peripheralInitiatedFeaturesExchange, .dataPacketLengthExtension, .le2M] }
    var wantedTransmitOctets: Int { 251 }
    var acceptsData: Bool { true }

    func acceptsScanRequest(from scanner: DeviceAddress, set: UInt8?) -> Bool { isAdvertising }

    func acceptsConnection(from initiator: DeviceAddress, set: UInt8?) -> Bool { isAdvertising }

    func linkOpened(_ link: Link, as role: LinkRole, set: UInt8?) {
        generation &+= 1
        isAdvertising = false
        sampling.linkOpened()
        bearer = SensorBearer(link: link, table: table, oddities: configuration.oddities)
        requestParameters()
        startSampling()
    }

    func linkClosed(_ link: Link, as role: LinkRole, reason: HCIStatus) {
        generation &+= 1
        bearer = nil
        sampling.stop()
        schedule(.resumeAdvertising, after: Self.advertisingDelay)
    }

    func forgetLinks() { bearer = nil }

    func eventEnded(on link: Link) {}

    func notified(_ notice: LinkNotice, on link: Link, as role: LinkRole) {}

    // MARK: Time

    func occur(_ occasion: NodeOccasion, generation: UInt32) {
        guard generation == self.generation else { return }
        switch occasion {
        case .advertise, .resumeAdvertising: advertise()
        case .sample: sample()
        case .confirmationOverdue: checkConfirmation()
        case .advertisingEnds, .scanEnds, .fault: break  // a controller's
        }
    }

    func schedule(_ occasion: NodeOccasion, after delay: Duration) {
        air.agenda.add(.node(id, occasion, generation: generation), at: air.now + delay)
    }

    private func advertise() {
        isAdvertising = true
        air.transmit(
            AdvertisingPDU(
                advertiser: configuration.address, isConnectable: true, isScannable: true, isLegacy: true,
                data: advertisingData, scanResponse: scanResponse), from: self)
        // The advertisement may have led to a link.
        guard isAdvertising else { return }
        schedule(
            .advertise(set: nil), after: configuration.advertisingInterval + .microseconds(air.random.below(10_000)))
    }

    func disconnect() {
        guard let link = bearer?.link else { return }
        air.start(.terminate(by: .peripheral, reason: .remoteUserTerminated), on: link)
    }

    // MARK: Values

    func value(of stream: Int) -> [UInt8] {
        let stamp = air.settings.epoch + air.now.nanoseconds / 1000
        return values.value(
            of: values.streams[stream], sequence: sequence, time: air.now - switchedOnAt,
            stamp: UInt64(clamping: stamp))
    }

    /// Starts the values if the client is subscribed.
    func startSampling() {
        guard sampling.isCommanded || !configuration.kind.awaitsCommand,
            sampling.start(isSubscribed: isSubscribed)
        else { return }
        schedule(.sample, after: period)
    }

    private var period: Duration {
        .nanoseconds(Int64(1e9 / min(max(configuration.rate, 0.001), 10_000)))
    }

    private func sample() {
        guard let bearer, isSubscribed else {
            sampling.stop()
            return
        }
        schedule(.sample, after: period)
        guard !sampling.isMute else { return }
        let streams = values.measured.filter { bearer.server.isSubscribed($0) }
        // A value without room in the stack was never accepted.
        guard bearer.hasRoom(for: streams.count), bearer.indicatedAt == nil else { return }
        for stream in streams { publish(stream) }
        sequence &+= 1
        let ends = sampling.sent(limit: configuration.dropEvery)
        let level = value(of: values.batteryStream)
        if level != battery, bearer.server.isSubscribed(values.batteryStream), bearer.hasRoom(for: 1) {
            battery = level
            publish(values.batteryStream)
        }
        if ends { disconnect() }
    }
}
