// SPDX-License-Identifier: Apache-2.0

/// A packet of a family, read from an advertisement.
package struct AdvertisedPacket: Equatable, Sendable {
    /// The octets for the journal and later for the family's ``AdvertisementDecoder/decode(_:)``: at most 512, complete
    /// without the advertisement. The family puts facts from elsewhere in the advertisement (a name, a model) in front.
    package var value: [UInt8] {
        didSet { fields = nil }
    }
    /// The fields of ``value``, if the family decoded the value to recognise the packet; else nil.
    package internal(set) var fields: [Field]?
    /// The sensor's own number of this packet; nil without a number.
    package var number: PacketNumber?
    /// The sensor's model, if the packet names a model: `LYWSD03MMC`.
    package var model: String?
    /// The packet reports an event, not a state: the sensor has no interval.
    package var isEvent: Bool
    /// The octets differ from all other packets of the sensor. A packet with known octets is a repeat.
    package var isUnique: Bool
    /// The sensor numbers changes, not samples: an unchanged value keeps its number for hours.
    package var numbersChanges: Bool
    package var edition: Edition
    /// Indices of the part of ``value`` that a key opened, if the other octets prove nothing about the key; nil if all
    /// octets count.
    package var opened: Range<Int>?

    /// A sensor may send each sample twice: in a short packet for every controller, and, complete, in a long packet by
    /// extended advertising. The short packet's number is the lowest bits of the long packet's.
    package enum Edition: Sendable {
        case only, short, long
    }

    package init(
        _ value: [UInt8], number: PacketNumber? = nil, model: String? = nil, isEvent: Bool = false,
        isUnique: Bool = false, numbersChanges: Bool = false, edition: Edition = .only
    ) {
        self.isUnique = isUnique
        self.numbersChanges = numbersChanges
        self.edition = edition
        self.value = value
        self.number = number
        self.model = model
        self.isEvent = isEvent
    }
}

/// A sensor's own number of a packet, for the detection of repeats, gaps and replays.
package struct PacketNumber: Equatable, Sendable {
    package var value: UInt32
    /// The number begins at 0 again after 2^`bits`: 1…32.
    package var bits: Int

    package init(_ value: UInt32, bits: Int) {
        self.value = value
        self.bits = min(max(bits, 1), 32)
    }
}

/// A packet that a family has recognised: readable at once, or only with the sensor's key.
package enum RecognisedPacket: Equatable, Sendable {
    case plain(AdvertisedPacket)
    case sealed(SealedPacket)

    /// The packet, if readable without a key.
    package var plain: AdvertisedPacket? { if case .plain(let packet) = self { packet } else { nil } }
}

/// An encrypted packet, with all data for its decryption except the key.
package struct SealedPacket: Equatable, Sendable {
    package enum Cipher: Equatable, Sendable {
        /// AES-128-CCM (RFC 3610): authenticated by a tag.
        case ccm(nonce: [UInt8], additionalData: [UInt8], tag: [UInt8])
        /// AES-128-CCM with key material: 16 octets of a session key and 8 of an initialization vector. The nonce is the
        /// randomizer, followed by the vector.
        case keyMaterial(randomizer: [UInt8], additionalData: [UInt8], tag: [UInt8])
        /// AES-128-CTR, whose first counter block is this: 16 octets. Not authenticated.
        case ctr(block: [UInt8])
        /// One block of AES-128-ECB under a key in the packet itself, so not secret at all.
        case ecb(key: [UInt8])
    }

    /// Successful decryption proves that the packet is the sensor's.
    package var isAuthentic: Bool { tag != nil }
    /// The tag of an authentic packet.
    package var tag: [UInt8]? {
        switch cipher {
        case .ccm(_, _, let tag), .keyMaterial(_, _, let tag): tag
        case .ctr, .ecb: nil
        }
    }
    /// Only the likeness of many packets shows that the key is right.
    package var needsProof: Bool { !isAuthentic && (keyCheck != nil || isAnybodys) }

    package var cipher: Cipher
    package var ciphertext: [UInt8]
    /// In the clear beside the ciphertext, for ``AdvertisementDecoder/unsealed(_:plaintext:)``.
    package var header: [UInt8]
    /// Counts up with each packet of one key, so an old packet is recognised; nil without a counter.
    package var counter: PacketNumber?
    package var model: String?
    /// The first octet of the right key, where the packet says so.
    package var keyCheck: UInt8?
    /// The sender's address, name and services, for families that read them from another family's packet.
    package var sender: Advertisement?
    /// Any key opens the packet to some octets, and nothing else in the packet proves its sensor.
    package var isAnybodys = false

    package init(
        _ cipher: Cipher, ciphertext: [UInt8], header: [UInt8] = [], counter: PacketNumber? = nil, model: String? = nil,
        keyCheck: UInt8? = nil
    ) {
        self.keyCheck = keyCheck
        self.cipher = cipher
        self.ciphertext = ciphertext
        self.header = header
        self.counter = counter
        self.model = model
    }
}
