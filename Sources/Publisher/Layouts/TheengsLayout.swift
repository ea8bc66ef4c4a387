// SPDX-License-Identifier: Apache-2.0

import Readings

/// Present readings as OpenMQTTGateway and Theengs publish them. All other messages are as in ``MartletLayout``.
struct TheengsLayout: MessageLayout {
    let topics: Topics

    func sensor(
        _ device: String, name: String?, _ description: SensorDescription?,
        offsets: [Quantity: Field.Decimal], readBy gateway: String
    ) -> LayoutSensor {
        var sensor = MartletLayout(topics: topics).sensor(
            device, name: name, description, offsets: offsets, readBy: gateway)
        let name = TheengsName(device, description)
        sensor.stateHead = PayloadWriter.theengsHead(name)
        sensor.state = topics.theengs(of: name)
        return sensor
    }

    func writeState(
        of row: JournalRow, time: ReadingTime, boot: String, _ sensor: LayoutSensor, characteristic: String,
        fields: [Field]?, to writer: inout PayloadWriter
    ) {
        writer.theengs(
            row, time: time, head: sensor.stateHead, characteristic: characteristic, fields: fields)
    }

    func key(of quantity: Quantity, index: UInt8) -> String { PayloadWriter.theengsKey(of: quantity, index: index) }
}
