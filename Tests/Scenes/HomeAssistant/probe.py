#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Home Assistant's core with its MQTT integration, without its page: what it makes of a broker, as JSON.

    probe.py FOLDER BROKER PAGE     each line of standard input is answered by a line: states, entities, devices. A line of JSON has it add
                                    the MQTT integration with these answers, as a person does at Settings > Devices & services
    probe.py --quantities < TABLE   holds lines KEY|PLATFORM|DEVICE CLASS|UNIT|STATE CLASS against its own tables

FOLDER keeps its registries over restarts; BROKER is the broker's port, 0 for a Home Assistant without MQTT yet; PAGE is a port that is free.
What the integration warns of goes to standard error.
"""
import asyncio
import json
import logging
import pathlib
import sys

logging.basicConfig(level=logging.ERROR, format="%(levelname)s %(name)s %(message)s")
logging.getLogger("homeassistant.components.mqtt").setLevel(logging.WARNING)
logging.getLogger("homeassistant.components.sensor").setLevel(logging.WARNING)
logging.getLogger("homeassistant.helpers.template").setLevel(logging.WARNING)
# It wants parts for cameras, which nobody has here.
logging.getLogger("homeassistant.setup").setLevel(logging.CRITICAL)

ENTRY = {
    "entry_id": "mqtt", "version": 1, "minor_version": 1, "domain": "mqtt", "title": "broker", "options": {},
    "pref_disable_new_entities": False, "pref_disable_polling": False, "source": "user", "unique_id": None,
    "disabled_by": None,
}


def prepare(folder, port):
    storage = folder / ".storage"
    storage.mkdir(parents=True, exist_ok=True)
    (folder / "configuration.yaml").touch()
    entries = storage / "core.config_entries"
    if port and not entries.exists():
        entry = {**ENTRY, "data": {"broker": "127.0.0.1", "port": port, "discovery": True}}
        entries.write_text(json.dumps(
            {"version": 1, "minor_version": 1, "key": entries.name, "data": {"entries": [entry]}}))


async def start(folder, page):
    from homeassistant import bootstrap, config_entries, core, loader
    from homeassistant.auth import auth_manager_from_config
    from homeassistant.setup import async_setup_component

    hass = core.HomeAssistant(str(folder))
    loader.async_setup(hass)
    hass.config.skip_pip = True
    hass.config_entries = config_entries.ConfigEntries(hass, {})
    await hass.config_entries.async_initialize()
    await bootstrap.async_load_base_functionality(hass)
    hass.auth = await auth_manager_from_config(hass, [], [])
    configuration = {"http": {"server_host": ["127.0.0.1"], "server_port": page}}
    entries = hass.config_entries.async_entries("mqtt")
    for component in ("homeassistant", "mqtt") if entries else ("homeassistant", "http"):
        if not await async_setup_component(hass, component, configuration):
            sys.exit(f"{component} cannot be set up")
    for entry in entries:
        if entry.state is config_entries.ConfigEntryState.NOT_LOADED:
            await hass.config_entries.async_setup(entry.entry_id)
    await hass.async_start()
    return hass


async def add(hass, answers):
    """Answers the questions of the MQTT integration; its errors, or none."""
    from homeassistant.data_entry_flow import FlowResultType

    flow = hass.config_entries.flow
    result = await flow.async_init("mqtt", context={"source": "user"})
    for _ in range(8):
        if result["type"] is FlowResultType.MENU:
            result = await flow.async_configure(result["flow_id"], {"next_step_id": "broker"})
        elif result["type"] is FlowResultType.FORM and not result["errors"]:
            asked = {str(key) for key in result["data_schema"].schema}
            result = await flow.async_configure(result["flow_id"], {key: value for key, value in answers.items() if key in asked})
        else:
            break
    is_added = result["type"] is FlowResultType.CREATE_ENTRY
    await hass.async_block_till_done()
    return {} if is_added else {"type": str(result["type"]), "reason": result.get("reason"), **(result.get("errors") or {})}


def dump(hass):
    from homeassistant.helpers import area_registry, device_registry, entity_registry

    areas = {area.id: area.name for area in area_registry.async_get(hass).async_list_areas()}

    devices = device_registry.async_get(hass).devices
    names = {device.id: next(iter(device.identifiers))[1] for device in devices.values() if device.identifiers}
    return {
        "states": {
            state.entity_id: {"state": state.state, **json.loads(json.dumps(dict(state.attributes), default=str))}
            for state in hass.states.async_all()},
        "entities": {
            entity.unique_id: {
                "entity_id": entity.entity_id, "device": names.get(entity.device_id),
                "category": entity.entity_category, "disabled_by": entity.disabled_by}
            for entity in entity_registry.async_get(hass).entities.values()},
        "devices": {
            names[device.id]: {
                "name": device.name, "manufacturer": device.manufacturer, "model": device.model,
                "connections": sorted(map(list, device.connections)), "via": names.get(device.via_device_id),
                "area": areas.get(device.area_id)}
            for device in devices.values() if device.id in names},
    }


async def serve(folder, broker, page):
    prepare(folder, broker)
    hass = await start(folder, page)
    print("ready", flush=True)
    while line := await asyncio.to_thread(sys.stdin.readline):
        answer = await add(hass, json.loads(line)) if line.startswith("{") else dump(hass)
        print(json.dumps(answer, default=str), flush=True)
    await hass.async_stop(force=True)


def quantities():
    """Each quantity as Home Assistant would take it without a complaint."""
    from homeassistant.components import sensor
    from homeassistant.components.binary_sensor import BinarySensorDeviceClass
    from homeassistant.components.event import EventDeviceClass
    from homeassistant.components.sensor.const import DEVICE_CLASS_STATE_CLASSES

    # Its MQTT sensors take both signs for micro, and make them one (from 2025.12 on).
    same = getattr(sensor, "AMBIGUOUS_UNITS", {})
    complaints = 0
    count = 0
    for line in sys.stdin:
        key, platform, device_class, unit, state_class = line.rstrip("\n").split("|")
        count += 1
        complaint = None
        classes = {"sensor": sensor.SensorDeviceClass, "binary_sensor": BinarySensorDeviceClass,
                   "event": EventDeviceClass}[platform]
        if device_class and device_class not in list(classes):
            complaint = f"no {platform} has the device class {device_class}"
        elif platform == "sensor" and device_class:
            units = sensor.DEVICE_CLASS_UNITS.get(device_class)
            if units is not None and same.get(unit, unit or None) not in units:
                complaint = f"{device_class} is not measured in {unit or 'nothing'}"
            if state_class and state_class not in DEVICE_CLASS_STATE_CLASSES.get(device_class, {state_class}):
                complaint = f"{device_class} is no {state_class}"
        if state_class and state_class not in list(sensor.SensorStateClass):
            complaint = f"{state_class} is no state class"
        if complaint:
            complaints += 1
            print(f"{key}: {complaint}")
    print(f"{count} quantities, {complaints} complaints")
    return 0 if count and not complaints else 1


if __name__ == "__main__":
    if sys.argv[1:] == ["--quantities"]:
        sys.exit(quantities())
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    asyncio.run(serve(pathlib.Path(sys.argv[1]).absolute(), int(sys.argv[2]), int(sys.argv[3])))
