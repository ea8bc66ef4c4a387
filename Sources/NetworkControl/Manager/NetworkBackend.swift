// SPDX-License-Identifier: Apache-2.0

/// What the helper answers with: NetworkManager's, or that of a test. For one thread; each call ends in bounded time.
protocol NetworkBackend: AnyObject {
    func status() throws(NetworkTrouble) -> NetworkStatus
    func scan() throws(NetworkTrouble) -> [WirelessNetwork]
    func setCountry(_ country: String) throws(NetworkTrouble)

    /// Joins on trial; ends early when there is something to read at `connection`, be it its end. A failure leaves the former
    /// state.
    func join(
        _ settings: WirelessSettings, limit: Duration, whileQuiet connection: Int32, progress: (NetworkStep) -> Void
    ) throws(NetworkTrouble) -> NetworkStatus

    /// When the trial that is under way ends by itself; nil without one.
    var trialEnd: ContinuousClock.Instant? { get }

    func keep() throws(NetworkTrouble) -> String
    /// Returns words where the one that is to be kept is not there.
    func settle(_ kept: String?) throws(NetworkTrouble) -> String?
    /// Ends the trial, or deletes what ``keep()`` has written.
    func takeBack(_ kept: String?) throws(NetworkTrouble)
}
