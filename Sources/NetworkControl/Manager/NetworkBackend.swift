// SPDX-License-Identifier: Apache-2.0

/// The network behind the helper: NetworkManager, or a test's network. For one thread; each call ends in bounded time.
protocol NetworkBackend: AnyObject {
    func status() throws(NetworkTrouble) -> NetworkStatus
    func scan() throws(NetworkTrouble) -> [WirelessNetwork]
    func setCountry(_ country: String) throws(NetworkTrouble)

    /// Joins on trial; ends early when `connection` can be read, even if only its end. A failure leaves the former
    /// state.
    func join(
        _ settings: WirelessSettings, limit: Duration, whileQuiet connection: Int32, progress: (NetworkStep) -> Void
    ) throws(NetworkTrouble) -> NetworkStatus

    /// When the running trial ends by itself; nil without a trial.
    var trialEnd: ContinuousClock.Instant? { get }

    func keep() throws(NetworkTrouble) -> String
    /// Returns a message if the kept network is not there.
    func settle(_ kept: String?) throws(NetworkTrouble) -> String?
    /// Ends the trial, or deletes the profile of ``keep()``.
    func revert(_ kept: String?) throws(NetworkTrouble)
}
