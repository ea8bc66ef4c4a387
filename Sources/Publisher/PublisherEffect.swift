// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Health
import Limits
import Logging
import MQTT
import Platform
import Readings

/// The wishes of the publisher's machine, in this order.
enum PublisherEffect {
    /// The machine hears the outcome by ``PublisherMachine/sent(_:at:)`` or ``PublisherMachine/tooLarge(_:at:from:)``,
    /// and later the broker's answer.
    case publish(OutgoingMessage, MessageProperties?, place: Int)
    /// With QoS 0, without an acknowledgement.
    case mention(OutgoingMessage)
    case acknowledge([Int64])
    case drop([Int64], DropReason)
    case setOffset(Int64, boot: String)
    /// A broker will retain the message about the device on the topic.
    case noteRetained(topic: String, device: String)
    case forgetRetained(topic: String)
    /// A request has come over MQTT; ``PublisherMachine/performed(_:_:)`` gets its result.
    case perform(CommandRequest)
    /// Keeps a fact in the journal; an empty text removes the fact.
    case keep(String, key: String)
    /// Asks the broker for messages.
    case subscribe([MQTTSubscription])
    /// The name of another gateway that takes care of the sensor; nil: none.
    case tellOwner(String?, device: String)
    /// The broker has the event of a limit.
    case limitTold(Int64)
    case log(Logger.Level, String, Logger.Metadata)
}

/// The input of a turn besides rows: the time by all clocks, and chance.
struct PublisherMoment {
    var now: MonotonicTime
    var stamp: TimeStamp
    /// The source of wall times for this boot's readings without a wall time; nil while unknown.
    var anchor: ClockAnchor?
    /// The controller's connection slots; nil if unknown.
    var slots: ConnectionSlots?
    /// The image's update; nil if the gateway was not flashed.
    var update: ImageUpdate?
    /// The repairs of the radio, the oldest first.
    var radio: [RadioHealth.Event] = []
    /// The gateway's account of problems; nil before its first look.
    var problems: ProblemNews?
    /// The limits of sensors; nil without limits.
    var limits: LimitNews?
    /// 0.5…1.5, the used share of a wait, so that gateways do not all come back at once.
    var spread = 1.0
    /// Milliseconds since 1970 UTC by the present clock, for data that needs a time, even an unreliable time.
    var wall: Int64 = 0
}
