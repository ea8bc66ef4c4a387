// SPDX-License-Identifier: Apache-2.0

import Foundation

extension ProvisioningClient {
    /// The gateway's limit, in octets.
    package static let largestAuthority = 16 * 1024
    /// A value has 512 octets, four of which are the offset.
    private static let part = 508

    /// Sends the PEM certificates of the authority that vouches for the broker. After a lost connection, continues at
    /// the same offset, in this call or a later call.
    package func uploadAuthority(
        _ pem: [UInt8], progress: (_ sent: Int, _ size: Int) -> Void = { _, _ in }
    ) async throws(ProvisioningClientError) {
        guard String(decoding: pem, as: UTF8.self).contains("-----BEGIN CERTIFICATE-----") else {
            throw ProvisioningClientError(
                .notValid, "The CA file holds no certificate in PEM (-----BEGIN CERTIFICATE-----).")
        }
        guard pem.count <= Self.largestAuthority else {
            throw ProvisioningClientError(
                .notValid,
                "The CA file has \(pem.count) octets, and the gateway takes \(Self.largestAuthority): leave out "
                    + "the authorities that the broker does not need.")
        }
        let hash = StagedAuthority.hash(of: pem)
        try await withReconnection { progressed throws(ProvisioningClientError) in
            var there = try await read(.authority, as: AuthorityMessage.self)
            if there.state == "in-use", there.sha256?.lowercased() == hash { return progress(pem.count, pem.count) }
            let isBegun = there.state == "partial" || there.state == "complete"
            if !isBegun || there.size != pem.count || there.sha256?.lowercased() != hash {
                try await write(json: AuthorityMessage(size: pem.count, sha256: hash), to: .authority)
                there = AuthorityMessage(size: pem.count, sha256: hash, received: 0, state: "partial")
            }
            if there.state == "complete" { return progress(pem.count, pem.count) }
            guard let received = there.received, (0...pem.count).contains(received) else {
                throw ProvisioningClientError(.malformed, "CA certificate: the gateway's answer makes no sense")
            }
            var offset = received
            while offset < pem.count {
                let end = min(offset + Self.part, pem.count)
                let head = (0..<4).map { UInt8(truncatingIfNeeded: offset >> ($0 * 8)) }
                try await write(octets: head + pem[offset..<end], to: .authorityData)
                offset = end
                progressed()
                progress(offset, pem.count)
            }
            let state = try await read(.authority, as: AuthorityMessage.self).state
            guard state == "complete" else {
                throw ProvisioningClientError(.malformed, "CA certificate: it did not arrive whole. Try again.")
            }
        }
    }

    /// Removes the authority: the gateway trusts its system's authorities again.
    package func removeAuthority() async throws(ProvisioningClientError) {
        try await write(json: AuthorityMessage(size: 0), to: .authority)
    }
}
