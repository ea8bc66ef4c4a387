// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Dispatch
import Foundation
import Logging
import MQTT
import Platform
import Readings
import Synchronization

/// Delivers the journal's rows to the broker: each row at least once, and deleted only after its acknowledgement. Young
/// rows go first and separately, old rows follow in arrays.
///
/// A single thread does all the work (``PublisherLoop``); this class is its front.
package final class Publisher: Sendable {
    private let mailbox: PublisherMailbox
    private let journal: any DeliveryJournal
    private let clock: any WallClock
    private let makeLoop: @Sendable ([LiveLane.Stream: Int64]?) -> PublisherLoop
    /// Nil while the journal cannot be read.
    private let superseded: @Sendable () -> [LiveLane.Stream: Int64]?
    private let isStarted = Atomic(false)
    /// Entered while the thread runs.
    private let running = DispatchGroup()

    /// - Parameters:
    ///   - gateway: The `<gw>` of the topics.
    ///   - tellsProgress: A watcher waits for the connection, step by step (``watch(_:)``): each address is checked
    ///     before the library connects to it.
    package init(
        _ configuration: MQTTConfiguration, gateway: String, information: GatewayInformation,
        journal: any DeliveryJournal,
        clock: any WallClock, tellsProgress: Bool = false,
        surroundings: PublisherSurroundings, logger: Logger
    ) {
        let mailbox = PublisherMailbox(
            broker: configuration.addresses[0].description, tellsProgress: tellsProgress)
        self.mailbox = mailbox
        self.journal = journal
        self.clock = clock
        superseded = {
            let now = clock.stamp()
            let since = now.uptimeMilliseconds.subtractingSaturated(configuration.liveWindow.wholeMilliseconds)
            return try? journal.reading { try LiveLane.superseded(in: $0, boot: now.boot, youngSince: since) }
        }
        makeLoop = { superseded in
            PublisherLoop(
                configuration, gateway: gateway, information: information, journal: journal, clock: clock,
                mailbox: mailbox, superseded: superseded, surroundings: surroundings, logger: logger)
        }
    }

    deinit { mailbox.requestStop(by: clock.now) }

    /// Starts the thread, which connects and retries until it is stopped. Once only.
    package func start() {
        guard !isStarted.exchange(true, ordering: .acquiringAndReleasing) else { return }
        journal.setCommitObserver { [weak self] in self?.journalCommitted() }
        running.enter()
        let thread = Thread { [makeLoop, running, superseded = superseded()] in
            makeLoop(superseded).run()
            running.leave()
        }
        thread.name = "martlet-mqtt"
        thread.stackSize = 1 << 19
        thread.start()
    }

    /// Delivers the journal's rows for at most this long, publishes `offline`, and ends the thread.
    ///
    /// A broker without any answer may hold the thread a little longer. The thread is then left alone and does no harm:
    /// unacknowledged rows stay in the journal.
    package func stop(drainingFor time: Duration) {
        journal.requestCommit()
        mailbox.requestStop(by: clock.now + time)
        _ = running.wait(within: max(time, .zero) + .milliseconds(500))
        journal.setCommitObserver(nil)
    }

    /// Tells consumers whether a sensor is reachable: at once, and again after each reconnection.
    package func setAvailability(of device: String, online: Bool) {
        mailbox.request { $0.availability[device] = online ? .online : .offline }
    }

    /// Makes the broker forget the retained messages of a removed sensor: at once, or on the next connection.
    package func forget(_ device: String) {
        mailbox.request { $0.availability[device] = .gone }
    }

    /// Makes Home Assistant forget an entity of a sensor, until two packets have named the entity again.
    package func drop(_ entity: AnnouncedEntity) {
        mailbox.request { $0.droppedEntities[entity.device, default: []].insert(entity.key) }
    }

    /// A sensor is present or awaited. From now on the publisher asks whether another gateway takes care of the sensor.
    /// `rssi`: in dBm, if the sensor was heard.
    package func recordSignal(of device: String, rssi: Int?) {
        mailbox.request { $0.signals[device] = .some(rssi) }
    }

    /// The table says something new of a sensor; to be told before the sensor's readings, where it changes how they go out.
    package func described(_ device: String) { mailbox.request { $0.described.insert(device) } }

    /// Starts history, pauses it, or sends all of it without a limit.
    package func setHistory(_ mode: HistoryMode) {
        mailbox.request { $0.historyMode = mode }
    }

    /// There is something new about limits.
    package func limitsChanged() { mailbox.request { _ in } }

    /// A command was carried out.
    package func answer(_ request: CommandRequest, _ answer: CommandAnswer) {
        mailbox.request { $0.answers.append((request, answer)) }
    }

    package func setInformation(_ information: GatewayInformation) {
        mailbox.request { $0.information = information }
    }

    /// The configuration was read again, with the decoders of the user's files.
    package func decodersChanged() { mailbox.request { $0.decodersChanged = true } }

    /// There are new rows. The journal's commit observer calls this function after ``start()``.
    package func journalCommitted() {
        mailbox.request { $0.hasNewRows = true }
    }

    package var statistics: PublisherStatistics { mailbox.statistics }

    /// Reports the course of the present connection attempt from its beginning, and of later attempts. `watcher` must
    /// not wait, and is called in order.
    ///
    /// - Returns: False for a publisher without progress reports.
    func watch(_ watcher: @escaping ConnectionProgress.Watcher) -> Bool {
        guard let progress = mailbox.progress else { return false }
        progress.watch(watcher)
        return true
    }
}
