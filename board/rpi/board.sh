# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034,SC2154
# Raspberry Pi 3, 4 and Zero 2 W: one image for all of them.

board_name="Raspberry Pi 3, 4 and Zero 2 W"
architecture=arm64
compatible=martlet-rpi-arm64
imager_devices='[
    {"name": "Raspberry Pi 4", "description": "Models B, 400, Compute Module 4", "tags": ["pi4-64bit"]},
    {"name": "Raspberry Pi 3", "description": "Models A+, B, B+, Compute Module 3", "tags": ["pi3-64bit"]},
    {"name": "Raspberry Pi Zero 2 W", "description": "Zero 2 W", "tags": ["pi3-64bit"]}]'
kernel_package=linux-image-arm64
# The firmware of the Bluetooth and WLAN chips 43430, 43436 and 43455, and what WLAN is allowed in which country.
board_packages=(firmware-brcm80211 bluez-firmware wireless-regdb)
# What lies on the FAT partition, unpacked only.
boot_packages=(raspi-firmware u-boot-rpi)

# thin_root ROOT: the firmware of other chips goes.
thin_root() {
    local firmware=$1/usr/lib/firmware
    find "$firmware" \( -type f -o -type l \) ! -name 'BCM434*.hcd' ! -name 'brcmfmac434[35]*' \
        ! -name 'cyfmac434[35]*' ! -name 'regulatory*' -delete
    find "$firmware" -name '*.txt' ! -iname '*raspberry*' -delete
    find "$firmware" -xtype l ! -name 'regulatory*' -delete
}

# fill_boot ROOT UNPACKED BOOT: the FAT partition's files, but for the boot script.
fill_boot() {
    local root=$1 unpacked=$2 boot=$3
    cp "$root"/usr/lib/linux-image-*/broadcom/bcm2[78]*rpi*.dtb "$boot/"
    cp "$unpacked"/usr/lib/raspi-firmware/{bootcode.bin,start.elf,fixup.dat,start4.elf,fixup4.dat} "$boot/"
    cp "$unpacked/usr/share/doc/raspi-firmware/copyright" "$boot/LICENCE.broadcom"
    cp "$unpacked/usr/share/doc/u-boot-rpi/copyright" "$boot/LICENCE.u-boot"
    cp "$unpacked/usr/lib/u-boot/rpi_arm64/u-boot.bin" "$boot/"
    cp "$board_folder/rpi/config.txt" "$boot/"
    mkdir -p "$boot/overlays"
    local overlay
    for overlay in gpio-key boot-now; do
        "$board_folder/in-tools.sh" "dtc -q -I dts -O dtb -@ -o - /source/board/rpi/$overlay.dts" >"$boot/overlays/$overlay.dtbo"
    done
}
