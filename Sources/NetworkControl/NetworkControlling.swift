// SPDX-License-Identifier: Apache-2.0

/// Who looks for networks, and joins one on trial. The gateway asks a helper process (`NetworkHelperClient`); tests have
/// networks of their own.
package protocol NetworkControlling: Sendable {
    /// How the gateway is connected now.
    func status() async throws(NetworkFailure) -> NetworkStatus

    /// The Wi-Fi networks that are heard now, strongest first, each name once; a few seconds. Where a new scan is refused,
    /// as after one a moment ago, those of that one.
    func scan() async throws(NetworkFailure) -> [WirelessNetwork]

    /// Sets the country by whose rules the radio keeps, for good: two letters of ISO 3166-1.
    func setCountry(_ country: String) async throws(NetworkFailure)

    /// Joins a Wi-Fi network on trial: nothing of it is on disk, and the former state comes back by itself when neither
    /// ``keep()`` nor ``takeBack()`` is said within `limit`, or when who asked is gone.
    ///
    /// - Parameter progress: each step as it begins, in order; any thread.
    /// - Returns: the state with an address, so it is associated and the address is had.
    func join(
        _ settings: WirelessSettings, limit: Duration, progress: @escaping @Sendable (NetworkStep) -> Void
    ) async throws(NetworkFailure) -> NetworkStatus

    /// Writes the network on trial to disk, without making it the one of the next start.
    ///
    /// - Returns: The name under which ``settle(_:)`` finds it: the UUID of NetworkManager's connection profile.
    func keep() async throws(NetworkFailure) -> String

    /// Makes what was kept under this name the network of the next start, and deletes the other ones that `keep` has
    /// written; nil deletes all of them. The gateway says so after its own configuration is on disk, and at each start: that
    /// is how a power cut in the middle leaves the old or the new.
    func settle(_ kept: String?) async throws(NetworkFailure)

    /// Ends the trial: the former state comes back.
    func takeBack() async throws(NetworkFailure)
}

/// How far joining a network has come.
package enum NetworkStep: String, Codable, Sendable, CaseIterable {
    /// The radio agrees on keys with the network.
    case associate
    /// An address is asked for.
    case address
}

/// Why a network could not be looked at, or joined. The raw values are those of docs/provisioning.md.
package enum NetworkFailure: String, Error, Codable, Sendable, CaseIterable {
    case wrongPassword = "wrong-password"
    /// Seen, but there was no agreement on keys: NetworkManager before 1.56 does not tell a wrong WPA3 password from a
    /// weak signal.
    case passwordOrSignal = "password-or-signal"
    /// The network is not heard (any more).
    case networkNotFound = "network-not-found"
    case noAddress = "no-address"
    /// The radio is blocked until a country is set.
    case noCountry = "no-country"
    /// There is no Wi-Fi device.
    case noWiFi = "no-wifi"
    /// What was given cannot be: a name of 0 or more than 32 octets, a password of the wrong length, an unknown country.
    case notValid = "not-valid"
    /// NetworkManager is not there, or the helper is not.
    case noManager = "no-manager"
    /// Something else is being tried.
    case busy
    case timedOut = "timed-out"
    /// NetworkManager said no, or something that is none of the others; the log has the words.
    case failed
}
