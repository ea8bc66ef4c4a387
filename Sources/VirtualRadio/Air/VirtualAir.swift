// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

/// The air between virtual controllers and simulated sensors.
///
/// The air has no clock and does no I/O: its driver sets the time, and a given seed with given calls gives the same
/// octets. It belongs to one thread at a time; ``VirtualRadio`` drives an air in real time.
package final class VirtualAir {
    package var settings: AirSettings
    package private(set) var now: MonotonicTime
    var random: SplitMix64
    var agenda = Agenda()
    var controllers: [VirtualController] = []
    var sensors: [VirtualSensor] = []
    private var nodes: [AirNodeID: any AirNode] = [:]
    var links: [AirLinkID: Link] = [:]
    var tallies: [AirNodeID: DataTally] = [:]
    private var lastNode: UInt32 = 0
    private var lastLink: UInt32 = 0

    package init(seed: UInt64, settings: AirSettings = AirSettings(), start: MonotonicTime = .zero) {
        random = SplitMix64(seed: seed)
        self.settings = settings
        now = start
    }

    deinit { for node in nodes.values { node.forgetLinks() } }

    // MARK: Controllers

    /// A new controller with the given public address. The controller is in its state after power-on.
    package func attachController(
        address: DeviceAddress, settings: ControllerSettings = ControllerSettings()
    ) -> AirNodeID {
        let controller = VirtualController(air: self, id: nextNodeID(), address: address, settings: settings)
        controllers.append(controller)
        nodes[controller.id] = controller
        return controller.id
    }

    /// Octets from the host to its controller: any piece of the H4 stream.
    package func receive(_ octets: some Collection<UInt8>, from id: AirNodeID, at time: MonotonicTime) {
        advance(to: time)
        controller(id)?.receive(octets)
    }

    /// The controller's output for its host: whole H4 packets, possibly none.
    package func takeOutput(of id: AirNodeID) -> [UInt8] {
        controller(id)?.takeOutput() ?? []
    }

    /// Octets that ``takeOutput(of:)`` would give.
    package func outputCount(of id: AirNodeID) -> Int {
        controller(id)?.output.count ?? 0
    }

    /// Removes the controller or sensor without a notice; peers learn of it by their supervision time-outs.
    package func detach(_ id: AirNodeID) {
        guard let node = nodes.removeValue(forKey: id) else { return }
        controllers.removeAll { $0.id == id }
        sensors.removeAll { $0.id == id }
        vanish(node)
        node.forgetLinks()
    }

    // MARK: Sensors

    /// Puts a sensor into the air; it advertises at once.
    package func addSensor(_ configuration: VirtualSensor.Configuration) -> AirNodeID {
        let sensor = VirtualSensor(air: self, id: nextNodeID(), configuration: configuration)
        sensors.append(sensor)
        nodes[sensor.id] = sensor
        sensor.start()
        return sensor.id
    }

    /// Puts a sensor into the air that only advertises.
    package func addBroadcaster(_ configuration: VirtualBroadcaster.Configuration) -> AirNodeID {
        let broadcaster = VirtualBroadcaster(air: self, id: nextNodeID(), configuration: configuration)
        nodes[broadcaster.id] = broadcaster
        broadcaster.start()
        return broadcaster.id
    }

    /// Packets that a broadcaster has begun to send.
    package func packets(of id: AirNodeID) -> UInt32? { (nodes[id] as? VirtualBroadcaster)?.packets }

    /// Packets of a broadcaster that controllers have reported to their hosts; a repeated packet counts once.
    package func toldPackets(of id: AirNodeID) -> Int { (nodes[id] as? VirtualBroadcaster)?.toldPackets ?? 0 }

    /// Every value that the sensor's stack accepted while a client was subscribed, and whether the value reached a
    /// host.
    package func ledger(of id: AirNodeID) -> SensorLedger? {
        (nodes[id] as? VirtualSensor)?.ledger
    }

    package func sensorStates() -> [SensorState] {
        sensors.map(\.state)
    }

    /// Acts of a host, or of a sensor's client, that the specification forbids, in words; the first few hundred of
    /// them.
    package func violations(of id: AirNodeID) -> [String] {
        controller(id)?.violations.texts ?? (nodes[id] as? VirtualSensor)?.violations.texts ?? []
    }

    // MARK: Time

    /// When the air must be advanced next, unless an event comes before.
    package var deadline: MonotonicTime? { agenda.deadline }

    /// Runs all events that are due at `time`. A time before ``now`` changes nothing.
    package func advance(to time: MonotonicTime) {
        while let (moment, occasion) = agenda.next(until: time) {
            now = max(now, moment)
            occur(occasion)
        }
        now = max(now, time)
    }

    private func occur(_ occasion: Occasion) {
        switch occasion {
        case .connectionEvent(let id): if let link = links[id] { connectionEvent(of: link) }
        case .supervision(let id, let generation): superviseLink(id, generation: generation)
        case .establishmentFails(let id):
            if let link = links[id] {
                close(link, central: .connectionFailedToBeEstablished, peripheral: .connectionFailedToBeEstablished)
            }
        case .updateInstant(let id): applyUpdate(id)
        case .responseOverdue(let id): responseOverdue(id)
        case .encryptionOverdue(let id, let generation): checkEncryption(id, generation: generation)
        case .node(let id, let occasion, let generation): nodes[id]?.occur(occasion, generation: generation)
        }
    }

    // MARK: Inside

    func controller(_ id: AirNodeID) -> VirtualController? { nodes[id] as? VirtualController }

    func node(_ id: AirNodeID) -> (any AirNode)? { nodes[id] }

    func isLost() -> Bool { random.strikes(settings.packetLoss) }

    /// The node's strength as measured now: ± 2 dB.
    func measuredStrength(of node: any AirNode) -> Int8 {
        Int8(clamping: Int64(node.signalStrength) + random.below(5) - 2)
    }

    func nextLinkID() -> AirLinkID {
        lastLink &+= 1
        return AirLinkID(rawValue: lastLink)
    }

    private func nextNodeID() -> AirNodeID {
        lastNode &+= 1
        return AirNodeID(rawValue: lastNode)
    }
}
