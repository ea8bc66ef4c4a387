// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Foundation
import Logging

/// The state of a manager.
public enum CBManagerState: Int, Sendable {
    /// Not known yet; an update follows.
    case unknown = 0
    /// The controller is being set up again; an update follows.
    case resetting = 1
    /// The controller has no Bluetooth LE.
    case unsupported = 2
    /// The process may not use the controller: CAP_NET_ADMIN is missing.
    case unauthorized = 3
    /// The controller cannot be reached: it is blocked, in use by another process, or absent.
    case poweredOff = 4
    /// Everything can be used.
    case poweredOn = 5

    init(_ state: HostState) {
        switch state {
        case .unknown: self = .unknown
        case .resetting: self = .resetting
        case .ready: self = .poweredOn
        case .unsupported: self = .unsupported
        case .unauthorized: self = .unauthorized
        case .unreachable: self = .poweredOff
        }
    }
}

extension CBManagerState {
    /// The first set-up of a controller is no news: the state stays unknown until it has succeeded or failed.
    func isChanged(by new: CBManagerState) -> Bool { self != new && !(self == .unknown && new == .resetting) }
}

/// Whether the process may use the controller.
public enum CBManagerAuthorization: Int, Sendable {
    /// No manager has tried yet.
    case notDetermined = 0
    /// Never the case here.
    case restricted = 1
    /// CAP_NET_ADMIN is missing.
    case denied = 2
    /// The process may use the controller.
    case allowedAlways = 3

    /// The authorization that a manager's state shows.
    init(_ state: CBManagerState) {
        switch state {
        case .unknown: self = .notDetermined
        case .unauthorized: self = .denied
        default: self = .allowedAlways
        }
    }
}

/// The base class of central and peripheral managers.
open class CBManager: NSObject, @unchecked Sendable {
    // Sound: subclasses protect their mutable state by a Mutex.

    /// The manager's controller.
    let controller: CBController

    /// Nil: the controller has no place for this manager, which stays unsupported.
    let client: ClientID?
    /// The queue of delegate calls.
    let queue: DispatchQueue
    let channels: ChannelHub

    init(controller: CBController, queue: DispatchQueue?) {
        self.controller = controller
        client = controller.makeClient()
        self.queue = queue ?? .main
        channels = ChannelHub(host: controller.host)
        super.init()
        if client == nil {
            controller.logger.error("a manager cannot be used", metadata: ["reason": "\(stateReason)"])
        }
    }

    deinit {
        guard let client else { return }
        controller.host.perform { $0.removeClient(client) }
    }

    /// Calls `handle` on the queue with the host's events from now on, first with the present state.
    func listen(_ handle: @escaping @Sendable (HostEventBatch) -> Void) {
        guard let client else { return }
        let (host, queue, channels) = (controller.host, queue, channels)
        let sink: BluetoothHost.Sink = { batch in
            guard channels.receive(batch, for: client) else { return host.handled(by: client) }
            queue.async {
                handle(batch)
                host.handled(by: client)
            }
        }
        host.perform { $0.addClient(client, sink: sink) }
    }

    /// The manager's present state.
    open var state: CBManagerState { .unknown }

    /// Whether the process may use the default controller; known once a manager has tried.
    open class var authorization: CBManagerAuthorization {
        CBManagerAuthorization(CBManagerState(CBController.default.host.state.state))
    }

    /// Whether the process may use this manager's controller.
    open var authorization: CBManagerAuthorization { CBManagerAuthorization(state) }
}
