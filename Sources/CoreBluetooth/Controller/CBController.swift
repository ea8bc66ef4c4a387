// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import Dispatch
import Foundation
import HCITransport
import Logging
import StateFiles
import Synchronization

/// Additive: one Bluetooth controller with the host stack on top. Apple's API knows only the system's controller; here
/// a program may choose a controller, or let ``default`` be `hci0`.
public final class CBController: Sendable {
    /// The way to a controller.
    public enum Transport: Hashable, Sendable {
        /// The kernel's adapter `hciN`, by its user channel; needs CAP_NET_ADMIN.
        case hci(UInt16)
        /// H4 over a Unix stream socket.
        case unix(String)
        /// H4 over TCP.
        case tcp(host: String, port: UInt16)
        /// H4 over a serial line with hardware flow control.
        case serial(device: String, baud: UInt32)
        /// H4 over a connected stream socket, which the controller then owns.
        case descriptor(Int32)

        /// Reads `hci0`, `unix:PATH`, `tcp:HOST:PORT` or `serial:DEVICE,BAUD`; nil for anything else.
        public init?(_ text: String) {
            switch TransportAddress(text) {
            case .hci(let index): self = .hci(index)
            case .unix(let path): self = .unix(path)
            case .tcp(let host, let port): self = .tcp(host: host, port: port)
            case .serial(let device, let baud): self = .serial(device: device, baud: baud)
            case .descriptor, nil: return nil
            }
        }

        fileprivate var address: TransportAddress {
            switch self {
            case .hci(let index): .hci(index)
            case .unix(let path): .unix(path)
            case .tcp(let host, let port): .tcp(host: host, port: port)
            case .serial(let device, let baud): .serial(device: device, baud: baud)
            case .descriptor(let descriptor): .descriptor(descriptor)
            }
        }
    }

    let host: BluetoothHost
    let pairings: PairingCoordinator
    let logger: Logger
    private let stateDirectory: String?
    private let isShutDown = Mutex(false)
    private let stores = Mutex<[@Sendable (_ keeps: Bool) -> Void]>([])

    /// Opens the controller in the background, and again after each loss.
    ///
    /// - Parameters:
    ///   - transport: the way to the controller.
    ///   - stateDirectory: the directory for known peers; nil keeps nothing beyond the process.
    ///   - deviceName: the name in the GAP service, up to 248 octets of UTF-8.
    ///   - privacy: when the controller uses private addresses. By default, while the controller advertises for bonded
    ///     phones: they recognise it, and without a bond with a phone nothing differs.
    ///   - capture: a file for a btsnoop capture of all packets, keys left out.
    ///   - logger: the logger of the host and its managers; by default nothing is written.
    public convenience init(
        transport: Transport, stateDirectory: String?, deviceName: String = "Martlet",
        privacy: CBPrivacy = .whenAdvertising, capture: String? = nil,
        logger: Logger = Logger(label: "CoreBluetooth", factory: { _ in SwiftLogNoOpLogHandler() })
    ) {
        self.init(
            transport: transport, stateDirectory: stateDirectory, deviceName: deviceName, privacy: privacy,
            capture: capture, files: DiskFileSystem(), logger: logger)
    }

    /// For programs with a pairing policy of their own: `pairing` holds from the beginning, before any device can begin
    /// to pair. `words`: of errors of the transport.
    package convenience init(
        transport: Transport, stateDirectory: String?, deviceName: String = "Martlet", pairing: CBPairingPolicy,
        words: TransportWords = .library
    ) {
        self.init(
            transport: transport, stateDirectory: stateDirectory, deviceName: deviceName, privacy: .whenAdvertising,
            pairing: pairing, words: words, files: DiskFileSystem(),
            logger: Logger(label: "CoreBluetooth", factory: { _ in SwiftLogNoOpLogHandler() }))
    }

    /// `files`: where bonds and known peers are kept; tests have slow disks. `helper`: takes the steps against a dead radio that
    /// need more than the controller. `recorder`: octets of memory for the newest packets, of which what went before a fault is
    /// kept; 0 keeps none. `recentLog`: the newest lines of the log, which are kept with them. `words`: of errors of the transport.
    package init(
        transport: Transport, stateDirectory: String?, deviceName: String = "Martlet", privacy: CBPrivacy,
        pairing: CBPairingPolicy = .onDemand, capture: String? = nil, recorder: Int = 0,
        recentLog: (@Sendable () -> [String])? = nil,
        helper: (any RecoveryHelper)? = nil, words: TransportWords = .library,
        liveness: LivenessLimits = LivenessLimits(), files: any StateFileSystem, logger: Logger
    ) {
        self.logger = logger
        self.stateDirectory = stateDirectory
        host = BluetoothHost(
            address: transport.address, stateDirectory: stateDirectory, deviceName: deviceName,
            privacy: privacy.setting, capture: capture, helper: helper, liveness: liveness,
            recorder: recorder, recentLog: recentLog, words: words, files: files, logger: logger)
        pairings = PairingCoordinator(host: host, policy: pairing)
        host.start()
    }

    deinit { host.perform { $0.shutDown {} } }

    private static let shared = Mutex<CBController?>(nil)

    /// The controller of a program that names none.
    static let systemTransport = Transport.hci(0)

    /// The state directory of a program that names none: systemd's for the program, else the user's folder for state,
    /// under the program's name.
    static func systemStateDirectory(
        _ environment: [String: String] = ProcessInfo.processInfo.environment, home: String = NSHomeDirectory(),
        program: String = ProcessInfo.processInfo.processName
    ) -> String {
        if let given = environment["STATE_DIRECTORY"]?.split(separator: ":").first { return String(given) }
        let folder = environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        return (folder ?? home + "/.local/state") + "/CoreBluetooth/" + program
    }

    /// The controller of managers without a controller option. Unless set, `hci0`, with state in systemd's
    /// `$STATE_DIRECTORY`, else in `~/.local/state/CoreBluetooth/<program>`, and warnings on standard error.
    public static var `default`: CBController {
        get {
            shared.withLock { shared in
                if let shared { return shared }
                let controller = CBController(
                    transport: systemTransport, stateDirectory: systemStateDirectory(),
                    logger: Logger(label: "CoreBluetooth") { label in
                        var handler = StreamLogHandler.standardError(label: label)
                        handler.logLevel = .warning
                        return handler
                    })
                shared = controller
                return controller
            }
        }
        set { shared.withLock { $0 = newValue } }
    }

    /// The state in words, with the remedy: «powered on», «hci0 is busy: bluetoothd uses the adapter. Run …».
    public var statusDescription: String { host.state.reason }

    /// ``statusDescription`` for people who choose the controller by an option or in a configuration, not in code.
    package var configuredDescription: String {
        statusDescription.replacing(
            TransportError.otherTransports,
            with: "controller = \"tcp:HOST:PORT\", \"unix:PATH\" or \"serial:DEVICE,BAUD\"")
    }

    /// Whether the controller can be used now.
    public var isPoweredOn: Bool { host.state.state == .ready }

    /// Counts since the controller was opened.
    public var statistics: CBControllerStatistics {
        CBControllerStatistics(host.counters, unclaimedValues: host.unclaimedValues)
    }

    /// The controller's information from its initialisation. `answer` is called on the radio thread.
    package func askForInformation(_ answer: @escaping @Sendable (ControllerInformation) -> Void) {
        host.perform { answer($0.controllerInformation) }
    }

    /// The kept flight recordings, oldest first, and the present one last. `answer` is called on the radio thread.
    package func askForFlightRecordings(_ answer: @escaping @Sendable ([FlightRecording]) -> Void) {
        host.perform { answer($0.flightRecordings(at: MonotonicClock.now)) }
    }

    /// The controller's links, and its greatest number of links.
    package var slots: ConnectionSlots { host.slots }

    /// The radio's health, and the remedies that were tried.
    package var health: RadioHealth { host.health }

    /// Starts the scan again, for sensors that fell silent while the radio hears other devices.
    package func renewScan(because reason: String) { host.perform { $0.renewScan(because: reason) } }

    /// Ends the link of a stranger without a purpose, for a sensor that waits for a link: `age` is the time since the last request.
    package func makeRoom(idleFor age: Duration) { host.perform { $0.makeRoom(idleFor: age) } }

    /// Reports that the new scan brought the sensors back.
    package func scanHelped(after: Duration) { host.perform { $0.scanHelped(after: after) } }

    /// Ends all links and closes the controller; returns when that is done, after about 2 s at the latest. Managers on
    /// it are of no use afterwards. A second call does nothing.
    ///
    /// - Parameter preservingState: whether managers with a restore identifier are given their state again by the next
    ///   run, as after a crash. By default a program that ends on purpose leaves nothing to restore, like an
    ///   application that its user has quit.
    public func shutdown(preservingState: Bool = false) {
        let isFirst = isShutDown.withLock { isShutDown in
            defer { isShutDown = true }
            return !isShutDown
        }
        guard isFirst else { return }
        for end in stores.withLock({ $0 }) { end(preservingState) }
        let done = DispatchSemaphore(value: 0)
        host.perform { $0.shutDown { done.signal() } }
        _ = done.wait(timeout: .now() + 3)
    }

    /// True after the shutdown: later requests get no answer.
    var isEnded: Bool { isShutDown.withLock { $0 } }

    /// Runs `body` on the radio thread, between packets; not at all once the controller has shut down.
    package func onRadioThread(_ body: @escaping @Sendable () -> Void) { host.perform { _ in body() } }

    /// A place for a manager; nil when there is none.
    func makeClient() -> ClientID? { isEnded ? nil : host.makeClient() }

    /// Nil without a state directory, with a line in the log.
    func makeRestorationStore<Snapshot>(role: String, identifier: String) -> RestorationStore<Snapshot>? {
        guard let stateDirectory else {
            logger.warning(
                "nothing can be restored: the controller has no state directory",
                metadata: ["restore.identifier": "\(identifier)"])
            return nil
        }
        let store = RestorationStore<Snapshot>(
            directory: stateDirectory, role: role, identifier: identifier, peers: host.directory,
            logger: logger)
        stores.withLock { stores in
            stores.append { [weak store] keeps in if keeps { store?.freeze() } else { store?.remove() } }
        }
        return store
    }
}

/// Additive option of managers: the ``CBController`` to use.
public let CBCentralManagerOptionControllerKey = "MartletCentralManagerOptionController"
