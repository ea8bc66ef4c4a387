// SPDX-License-Identifier: Apache-2.0

import SparkplugB

extension MQTTConfiguration {
    package var speaksSparkplug: Bool { format == .sparkplug }

    func sparkplugTopics(_ topics: Topics) -> SparkplugTopics? {
        speaksSparkplug ? SparkplugTopics(group: Topics.level(sparkplug.group), node: topics.gateway) : nil
    }
}
