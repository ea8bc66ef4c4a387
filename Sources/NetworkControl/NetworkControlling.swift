// SPDX-License-Identifier: Apache-2.0

/// Looks for networks, and joins a network on trial. The gateway asks a helper process (`NetworkHelperClient`); tests
/// have networks of their own.
package protocol NetworkControlling: Sendable {
    /// The gateway's present connection.
    func status() async throws(NetworkFailure) -> NetworkStatus

    /// The Wi-Fi networks in range, strongest first, each name once; takes a few seconds. If NetworkManager refuses a
    /// new scan, as shortly after another scan, the answer has the networks of the earlier scan.
    func scan() async throws(NetworkFailure) -> [WirelessNetwork]

    /// Sets the country whose rules the radio keeps, for good: two letters of ISO 3166-1.
    func setCountry(_ country: String) async throws(NetworkFailure)

    /// Joins a Wi-Fi network on trial. Nothing of it is on disk. The former state comes back by itself when neither
    /// ``keep()`` nor ``revert()`` is called within `limit`, or when the caller is gone.
    ///
    /// - Parameter progress: Each step as it begins, in order; any thread.
    /// - Returns: The state once the network is associated and has an address.
    func join(
        _ settings: WirelessSettings, limit: Duration, progress: @escaping @Sendable (NetworkStep) -> Void
    ) async throws(NetworkFailure) -> NetworkStatus

    /// Writes the network on trial to disk; the next start does not use it yet.
    ///
    /// - Returns: The name for ``settle(_:)``: the UUID of NetworkManager's connection profile.
    func keep() async throws(NetworkFailure) -> String

    /// Makes the kept network with this name the network of the next start, and deletes all other networks that `keep`
    /// has written; nil deletes all of them. The gateway calls this after its own configuration is on disk, and at each
    /// start. A power cut in the middle thus leaves the old network or the new one.
    func settle(_ kept: String?) async throws(NetworkFailure)

    /// Ends the trial: the former state comes back.
    func revert() async throws(NetworkFailure)
}

/// A step of joining a network.
package enum NetworkStep: String, Codable, Sendable, CaseIterable {
    /// The radio agrees on keys with the network.
    case associate
    /// The gateway asks for an address.
    case address
}

/// Why a scan or a join failed. The raw values are those of docs/provisioning-protocol.md.
package enum NetworkFailure: String, Error, Codable, Sendable, CaseIterable {
    case wrongPassword = "wrong-password"
    /// The network is there, but there was no agreement on keys. NetworkManager before 1.56 does not tell a wrong WPA3
    /// password from a weak signal.
    case passwordOrSignal = "password-or-signal"
    /// The network is not in range, or no longer.
    case networkNotFound = "network-not-found"
    case noAddress = "no-address"
    /// The radio is blocked until a country is set.
    case noCountry = "no-country"
    /// There is no Wi-Fi device.
    case noWiFi = "no-wifi"
    /// An input is invalid: a name of 0 or more than 32 octets, a password of the wrong length, an unknown country.
    case notValid = "not-valid"
    /// NetworkManager or the helper is not running.
    case noManager = "no-manager"
    /// Another trial is under way.
    case busy
    case timedOut = "timed-out"
    /// NetworkManager refused, or any other failure; the log has the text.
    case failed
}
