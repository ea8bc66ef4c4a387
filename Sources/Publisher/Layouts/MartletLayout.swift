// SPDX-License-Identifier: Apache-2.0

import Readings

/// Martlet's own layout: a flat JSON object for each reading (docs/mqtt.md).
struct MartletLayout: MessageLayout {
    let topics: Topics

    func sensor(
        _ device: String, name: String?, _ description: SensorDescription?,
        offsets: [Quantity: Field.Decimal], readBy gateway: String
    ) -> LayoutSensor {
        let head = PayloadWriter.head(device: device, name: name, gateway: gateway, offsets: offsets)
        return LayoutSensor(
            head: head, stateHead: head, state: topics.state(of: device), event: topics.event(of: device),
            history: topics.history(of: device), raw: topics.raw(of: device))
    }

    func writeState(
        of row: JournalRow, time: ReadingTime, boot: String, _ sensor: LayoutSensor, characteristic: String,
        fields: [Field]?, to writer: inout PayloadWriter
    ) {
        writer.reading(
            row, time: time, head: sensor.stateHead, boot: boot, characteristic: characteristic, fields: fields,
            historical: false)
    }
}
