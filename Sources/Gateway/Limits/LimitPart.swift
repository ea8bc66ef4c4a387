// SPDX-License-Identifier: Apache-2.0

import Configuration
import Journal
import Limits
import Logging
import Platform
import Publisher

/// The limits of a gateway: the judge of values, and the webhook.
struct LimitPart: Sendable {
    let keeper: LimitKeeper
    let webhook: WebhookSender

    init(_ configuration: GatewayConfiguration, journal: Journal, clock: any WallClock, logger: Logger) {
        keeper = LimitKeeper(journal: journal, clock: clock, readers: Self.readers(configuration))
        webhook = WebhookSender(keeper, gateway: configuration.gateway, logger: logger)
    }

    /// - Parameters:
    ///   - name: The name of a sensor for people.
    ///   - tell: Called when the publisher has something new; it must not wait.
    func start(
        _ configuration: GatewayConfiguration, name: @escaping WebhookSender.Name, tell: @escaping @Sendable () -> Void
    ) {
        webhook.setName(name)
        keeper.setObserver { [webhook] in
            tell()
            webhook.wake()
        }
        webhook.apply(configuration.webhook)
    }

    /// Takes new settings.
    func apply(_ configuration: GatewayConfiguration) {
        keeper.setReaders(Self.readers(configuration))
        webhook.apply(configuration.webhook)
    }

    /// The webhook's last answer may still come: ``waitForEnd()``.
    func stop() {
        keeper.setObserver(nil)
        webhook.stop()
    }

    /// Before the journal closes: an event that the server has just taken is not told again after a restart.
    func waitForEnd() { webhook.waitForEnd(within: .seconds(1)) }

    /// Takes a new status, and writes limits and webhook into it.
    func look(_ status: inout GatewayStatus, maintained: Set<String>) {
        keeper.look(&status, maintained: maintained)
        guard let webhook = webhook.status else { return }
        var deliveries = status.limitDeliveries ?? LimitDeliveries()
        deliveries.webhook = webhook
        status.limitDeliveries = deliveries
    }

    /// Hosts of Sparkplug know no events.
    private static func readers(_ configuration: GatewayConfiguration) -> Set<LimitQueue.Reader> {
        var readers: Set<LimitQueue.Reader> = configuration.mqtt.format == .sparkplug ? [] : [.mqtt]
        if configuration.webhook.url != nil { readers.insert(.webhook) }
        return readers
    }
}
