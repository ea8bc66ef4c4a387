// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Logging
import MQTT
import Platform
import Readings

/// What the publisher's machine wants done, in this order.
enum PublisherEffect {
    /// To be told of by ``PublisherMachine/sent(_:at:)`` or ``PublisherMachine/tooLarge(_:at:from:)``, and later with what the
    /// broker said of it.
    case publish(OutgoingMessage, MessageProperties?, place: Int)
    /// With QoS 0: nobody asks what becomes of it.
    case mention(OutgoingMessage)
    case acknowledge([Int64])
    case drop([Int64], DropReason)
    case setOffset(Int64, boot: String)
    /// A broker will retain what is said of the device on the topic.
    case noteRetained(topic: String, device: String)
    case forgetRetained(topic: String)
    /// Somebody has asked for it over MQTT; ``PublisherMachine/performed(_:_:)`` is told what came of it.
    case perform(CommandRequest)
    /// Keeps a fact in the journal; an empty one is none.
    case keep(String, key: String)
    /// Asks the broker for messages.
    case subscribe([MQTTSubscription])
    /// Another gateway, by its name, takes care of the sensor; nil is none.
    case tellOwner(String?, device: String)
    case log(Logger.Level, String, Logger.Metadata)
}

/// What a turn of the machine is given beside rows: the time by all clocks, and chance.
struct PublisherMoment {
    var now: MonotonicTime
    var stamp: TimeStamp
    /// How readings of this boot without a wall time get theirs; nil while nothing is known.
    var anchor: ClockAnchor?
    /// Of the controller; nil where nobody says.
    var slots: ConnectionSlots?
    /// Of the image; nil where the gateway was not flashed.
    var update: ImageUpdate?
    /// What was done about the radio, the oldest first.
    var radio: [RadioHealth.Event] = []
    /// 0.5…1.5, the share of a wait that is taken: gateways do not come back all at once.
    var spread = 1.0
    /// Milliseconds since 1970 UTC by the clock that there is, for what has to have a time whoever vouches for it.
    var wall: Int64 = 0
}
