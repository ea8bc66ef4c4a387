// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Gateway
import Logging
import NetworkControl
import Provisioning

/// What lets phones set a gateway up: the configuration service on the gateway's controller, with the helper for the
/// network and the window in which phones pair.
struct PhoneSetup {
    private let service: ProvisioningService
    /// The door for clients that know nothing but Improv, in clear text; nil unless somebody wants it.
    private let improv: ImprovService?

    /// - Parameter identify: Blinks the LED, and says whether there is one.
    init(
        _ configuration: ProvisioningConfiguration, of gateway: GatewayService, window: any PairingWindow,
        identify: @escaping @Sendable (Duration) -> Bool, logger: Logger
    ) {
        var logger = logger
        logger[metadataKey: "part"] = "provisioning"
        let information = GatewayInformation.ofThisMachine(
            version: GatewayVersion.current, adapters: [], capabilities: [])
        let service = ProvisioningService(
            configuration,
            ProvisioningService.Parts(
                controller: gateway.controller, operations: gateway.operations,
                network: NetworkHelperClient(path: configuration.networkSocket, logger: logger), window: window,
                identify: identify, model: "Martlet \(GatewayVersion.current) on \(information.model)"),
            logger: logger)
        self.service = service
        improv =
            configuration.offersImprov
            ? ImprovService(
                controller: gateway.controller, window: window,
                actions: service.improvActions(hardware: information.model), isItsTurn: { service.hasHandles },
                logger: logger) : nil
    }

    func start() {
        service.start()
        improv?.start()
    }

    /// Before the gateway stops: what is being applied must not be taken for something that the gateway refuses.
    func stop() {
        improv?.stop()
        service.stop()
    }
}
