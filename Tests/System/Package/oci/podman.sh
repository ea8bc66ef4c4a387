# SPDX-License-Identifier: Apache-2.0
# Podman without anything of this machine: its own storage, no control groups, no systemd. Read by oci.sh.
work=${work:-$MARTLET_WORK}
if [ ! -e "$work/containers.conf" ]; then
    mkdir -p "$work/podman"
    printf '[containers]\ncgroups = "disabled"\n[engine]\ncgroup_manager = "cgroupfs"\nevents_logger = "file"\nruntime = "crun"\n' >"$work/containers.conf"
    printf '[storage]\ndriver = "vfs"\nrunroot = "%s/podman/run"\ngraphroot = "%s/podman/graph"\n' "$work" "$work" >"$work/storage.conf"
    printf '{"default": [{"type": "insecureAcceptAnything"}]}\n' >"$work/policy.json"
fi
export CONTAINERS_CONF=$work/containers.conf CONTAINERS_STORAGE_CONF=$work/storage.conf DISABLE_HC_SYSTEMD=true
