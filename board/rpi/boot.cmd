# SPDX-License-Identifier: Apache-2.0
# Chooses the slot to boot, by RAUC's counters: BOOT_ORDER, and how often each slot may still be tried.
#
# They are kept twice, outside of every partition, 4 MiB apart and so in different erase blocks of a card: U-Boot's own
# format with a checksum, of 4 KiB at 4 and at 8 MiB. What is written goes to the older copy, so that a power cut in the
# middle leaves the newer one. AB_PHASE, which goes 0 1 2 0, tells which one that is. /usr/lib/martlet/boot-state is the
# other program that reads and writes them.
#
# Partitions: 1 FAT, 2 slot A, 3 slot B, 4 data.

if test "x${board_rev}" != "x" || test "${vendor}" = "raspberrypi"; then
  setenv kernel_at 0x02000000; setenv initrd_at 0x0a000000; setenv state_at 0x07000000
  setenv consoles "console=ttyS1,115200 console=tty1"
else
  # QEMU's virt
  setenv kernel_at 0x42000000; setenv initrd_at 0x4a000000; setenv state_at 0x47000000
  setenv consoles "console=ttyAMA0"
fi
${devtype} dev ${devnum}

setenv phase_0 bad; setenv phase_1 bad
for copy in 0 1; do
  if test "${copy}" = "0"; then setenv block 0x2000; else setenv block 0x4000; fi
  if ${devtype} read ${state_at} ${block} 8 && env import -c ${state_at} 0x1000 AB_PHASE; then
    setenv phase_${copy} ${AB_PHASE}
  fi
done
setenv newest 0
if test "${phase_0}" = "bad"; then setenv newest 1; fi
if test "${phase_0}${phase_1}" = "01" || test "${phase_0}${phase_1}" = "12" || test "${phase_0}${phase_1}" = "20"; then
  setenv newest 1
fi
if test "${newest}" = "0"; then setenv block 0x2000; setenv other 0x4000; else setenv block 0x4000; setenv other 0x2000; fi
setenv AB_PHASE; setenv BOOT_ORDER; setenv BOOT_TRIAL
if ${devtype} read ${state_at} ${block} 8 && env import -c ${state_at} 0x1000 AB_PHASE BOOT_ORDER BOOT_A_LEFT BOOT_B_LEFT BOOT_TRIAL; then
  true
else
  echo "martlet: no boot state, beginning anew"
fi
test "x${AB_PHASE}" != "x" || setenv AB_PHASE 0
test "x${BOOT_ORDER}" != "x" || setenv BOOT_ORDER "A B"
test "x${BOOT_A_LEFT}" != "x" || setenv BOOT_A_LEFT 3
test "x${BOOT_B_LEFT}" != "x" || setenv BOOT_B_LEFT 3

setenv slot
for candidate in "${BOOT_ORDER}"; do
  if test "x${slot}" != "x"; then
    true
  elif test "${candidate}" = "A"; then
    if test ${BOOT_A_LEFT} -gt 0; then setexpr BOOT_A_LEFT ${BOOT_A_LEFT} - 1; setenv slot A; setenv partition 2; fi
  elif test "${candidate}" = "B"; then
    if test ${BOOT_B_LEFT} -gt 0; then setexpr BOOT_B_LEFT ${BOOT_B_LEFT} - 1; setenv slot B; setenv partition 3; fi
  fi
done
if test "x${slot}" = "x"; then
  echo "martlet: no slot has a try left, giving both three"
  setenv BOOT_A_LEFT 3; setenv BOOT_B_LEFT 3
fi

if test "${AB_PHASE}" = "0"; then setenv AB_PHASE 1; elif test "${AB_PHASE}" = "1"; then setenv AB_PHASE 2; else setenv AB_PHASE 0; fi
# A card that refuses to be written is still one to boot from.
if env export -c -s 0x1000 ${state_at} AB_PHASE BOOT_ORDER BOOT_A_LEFT BOOT_B_LEFT BOOT_TRIAL; then
  ${devtype} write ${state_at} ${other} 8
fi
if test "x${slot}" = "x"; then reset; fi

echo "martlet: slot ${slot}"
# The tree that the Pi's firmware has patched, or QEMU's own.
setenv bootargs "root=PARTUUID=67770001-0${partition} ro rootwait fsck.mode=skip panic=10 rauc.slot=${slot} systemd.gpt_auto=0 systemd.condition_needs_update=no systemd.ssh_auto=no loglevel=4 ${consoles}"
if load ${devtype} ${devnum}:${partition} ${kernel_at} /boot/vmlinuz && load ${devtype} ${devnum}:${partition} ${initrd_at} /boot/initrd.img; then
  booti ${kernel_at} ${initrd_at}:${filesize} ${fdt_addr}
fi
echo "martlet: slot ${slot} did not start"
reset
