// SPDX-License-Identifier: Apache-2.0

import Configuration
import CoreBluetooth
import Foundation
import Gateway
import Logging
import NetworkControl
import Operations
import Page
import Provisioning
import Publisher

/// Lets phones set a gateway up: the configuration service on the gateway's controller, the pairing window, its button,
/// the LED, and the network helper.
struct PhoneSetup {
    private let window: WindowKeeper
    private let control: WindowControl
    private let service: ProvisioningService
    private let button: ButtonInput
    /// The service for clients with only Improv, in clear text; nil unless configured.
    private let improv: ImprovService?

    /// nil if provisioning is off: then no phone can set up the gateway. `led`: blinks when a phone looks for the gateway.
    init?(_ configuration: GatewayConfiguration, of gateway: GatewayService, led: LED?, logger: Logger) {
        let provisioning = configuration.provisioning
        guard provisioning.isEnabled else { return nil }
        var logger = logger
        logger[metadataKey: "part"] = "provisioning"
        let (controller, operations) = (gateway.controller, gateway.operations)
        let changeIdentity: @Sendable () async -> Void = { [logger] in
            for trouble in await controller.changeIdentityAddress() { logger.error("\(trouble)") }
        }
        var limits = WindowMachine.Limits()
        limits.window = provisioning.window
        let window = WindowKeeper(
            isProvisioned: configuration.isProvisioned,
            WindowKeeper.Parts(
                controller: controller, store: LabelStore(directory: configuration.bluetooth.stateDirectory),
                limits: limits, changeIdentity: changeIdentity),
            logger: logger)
        self.window = window
        control = WindowControl(window, operations: operations)
        control.install(on: gateway)
        button = ButtonInput(path: provisioning.button ?? ButtonInput.standardDevice, logger: logger) {
            window.open(by: .button)
        }
        gateway.provide(OperationTable.identify) { _, _ throws(OperationError) in
            guard led?.blink(for: .seconds(10)) == true else {
                throw OperationError(.refused, "this gateway has no LED that can blink: see provisioning.led")
            }
            return OperationTable.Nothing()
        }
        let information = GatewayInformation.ofThisMachine(
            version: GatewayVersion.current, adapters: [], capabilities: [])
        let machine = information.model == "unknown" ? "" : " on \(information.model)"
        let service = ProvisioningService(
            provisioning,
            ProvisioningService.Parts(
                controller: controller, operations: operations,
                network: NetworkHelperClient(path: provisioning.networkSocket, logger: logger), window: window,
                identify: { led?.blink(for: $0) ?? false }, changeIdentity: changeIdentity,
                model: "Martlet \(GatewayVersion.current)\(machine)"),
            logger: logger)
        self.service = service
        improv =
            provisioning.offersImprov
            ? ImprovService(
                controller: controller, window: window,
                actions: service.improvActions(hardware: information.model), isItsTurn: { service.hasHandles },
                logger: logger) : nil
    }

    /// The window on the gateway's page.
    var pageWindow: PageExtras.Window {
        PageExtras.Window(
            state: { [window] in
                let state = window.state
                return PageExtras.Window.State(open: state.isOpen, secondsLeft: state.secondsLeft)
            },
            label: { [control] () throws(OperationError) in
                guard let label = try? await control.label(isNew: false), let code = QRCode(label.code) else {
                    throw OperationError(.failed, "there is no label: the state directory cannot be written")
                }
                return Array(code.svg(title: label.name, text: "Passkey \(label.passkey)").utf8)
            })
    }

    func start() {
        window.start()
        service.start()
        improv?.start()
        button.start()
    }

    /// Call it before the gateway stops: a change in progress must not look refused by the gateway.
    func stop() {
        button.stop()
        improv?.stop()
        service.stop()
        window.stop()
    }
}
