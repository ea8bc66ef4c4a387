# SPDX-License-Identifier: Apache-2.0

.DEFAULT_GOAL := help
ifneq ($(words $(CURDIR)),1)
$(error no space may be in the path of the checkout: move it to another folder than $(CURDIR))
endif
SHELL := /bin/bash

PREFIX ?= /usr/local
DESTDIR ?=

# One release build for the tests, the benchmarks and the installation: the same flags everywhere.
# lld: the default linker warns about functions that the static Foundation refers to.
# Nothing is exported, and relocations are packed (RELR, glibc 2.36): 8 MB less of the program, and of what is resident.
# ICU's data are ours, without languages: 29 MB less (board/icu_data.py). The library's are dropped by --gc-sections.
RELEASE_FLAGS := -c release --static-swift-stdlib -Xswiftc -use-ld=lld \
	-Xlinker -z -Xlinker pack-relative-relocs -Xlinker --version-script=$(CURDIR)/board/exports.map \
	-Xlinker --gc-sections -Xlinker $(CURDIR)/.build/icu/icudata.o -Xlinker $(CURDIR)/.build/icu/icudata.ld
RELEASE := board/icu-data.sh .build/icu && swift build $(RELEASE_FLAGS)
# One build for all tests: the programs are optimized and linked as the release is, the tests are not optimized (Package.swift).
# -enable-testing lets tests see what is internal; -gnone: nobody looks at these programs with a debugger, and they are built sooner. In a folder of its own: the flags are others than those of a build to install.
TESTS := .build/test
TEST_BUILD := board/icu-data.sh .build/icu && Tests/Rig/testing-modules.sh .build/testing && swift build $(RELEASE_FLAGS) \
	--scratch-path $(TESTS) -Xswiftc -enable-testing -Xswiftc -gnone -Xswiftc -I -Xswiftc $(CURDIR)/.build/testing \
	-Xlinker -L$(CURDIR)/.build/testing
# What builds a program that a scene needs. With PREBUILT=FOLDER it is there already: make test does so.
ifdef PREBUILT
BINARIES := $(abspath $(PREBUILT))
PROGRAM := true
else
BINARIES = $(shell swift build -c release --show-bin-path)
PROGRAM = $(RELEASE) --product martlet
endif
# What shows the program, and does not measure it, is built without optimization: in less than half the time, and the unit tests
# take it from there.
# Without an index, which is for editors: they make their own. With the lines that a trace of a crash names, and nothing else for a
# debugger: an eighth of the build's time (`swift build` by itself makes a build for a debugger).
DEBUG_FLAGS := --disable-index-store -Xswiftc -gline-tables-only
DEBUG := swift build $(DEBUG_FLAGS) --product martlet
DEBUG_TESTS := swift build $(DEBUG_FLAGS) --build-tests
# Tests that wait would have to wait behind all others if they all began at once: there is a thread a core.
WIDTH ?= 8
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH := $(WIDTH)
PACKAGES := Tests/Rig/packages.sh
# These change the rights of the whole process.
ALONE := PathOwnerTests|RootsCommandsTests|HTTPSClientTests
LIBRARIES := pkg-config libbluetooth-dev libcurl4-openssl-dev libmicrohttpd-dev libmosquitto-dev libqrencode-dev libsqlite3-dev libssl-dev libsystemd-dev libtomlplusplus-dev
# What unit tests start or read with.
TOOLS := mosquitto mosquitto-clients openssl tshark bluez e2fsprogs procps python3
# What the scenes install, at once: one of them alone installs what it needs by itself.
SCENES := python3-venv gcc libc6-dev iproute2 python3-dbusmock python3-dbus python3-gi dbus chromium-headless-shell zbar-tools \
	qemu-system-x86 busybox-static cpio kmod xz-utils libubootenv-tool openssh-client systemd shellcheck python3-yaml mmdebstrap debian-archive-keyring lintian \
	debhelper dpkg-dev perl curl git

# Whoever has no Swift reads what to install, not what the shell makes of that. Everything is built with the versions of
# the Swift packages that the image has; the hash is of the manifest, and changes with it.
.PHONY: swift
swift:
	@Tests/Rig/swift.sh
	@diff -q <(grep -v originHash board/swift-packages.json) <(grep -sv originHash Package.resolved) >/dev/null || \
		cp board/swift-packages.json Package.resolved

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: demo
demo: swift ## simulated sensors, a private broker, live in the terminal; SECONDS=20 ends by itself
	@$(PACKAGES) $(LIBRARIES) mosquitto mosquitto-clients
	@$(DEBUG)
	@exec .build/debug/martlet demo $(if $(filter command line environment,$(origin SECONDS)),--seconds $(SECONDS))

.PHONY: demo-provision
demo-provision: swift ## a phone sets up a gateway that nobody has set up, all of it on this machine; ends by itself
	@$(PACKAGES) $(LIBRARIES) mosquitto mosquitto-clients openssl
	@$(DEBUG)
	@exec .build/debug/martlet demo --provision

# Of one module: the manifest leaves out all other tests, in a folder of its own.
MODULE_TESTS = MARTLET_MODULE=$(MODULE) $(DEBUG_TESTS) --scratch-path .build/module
.PHONY: check
check: swift ## the contributor's loop: format, build, unit tests whose sources changed; ALL=1 runs all, MODULE=Readings one module's
	@$(PACKAGES) $(LIBRARIES) $(TOOLS)
ifdef MODULE
	@rm -f .build/module/debug/martletPackageTests.xctest
	python3 Sources/Readings/Sensors/generate.py
	$(MODULE_TESTS)
	Tests/unit.py .build/module/debug $(MODULE)
else
	ALL=$(ALL) Tests/steps.py check
endif

.PHONY: test-corpus
test-corpus: swift ## packets that sensors have really sent, from Tests/Support/Corpus: what each says, and that no two families take one
	@$(PACKAGES) $(LIBRARIES)
	MARTLET_MODULE=Readings $(DEBUG_TESTS) --scratch-path .build/module
	Tests/unit.py .build/module/debug corpus --filter CorpusTests

# The unit tests of the build in UNIT, in processes of their own: most tests wait, and a process has a thread a core to wait on.
UNIT ?= $(TESTS)/release
GATEWAY := ^(GatewayTests|ProvisioningTests|SimulationTests)\.
COLLECTOR := ^(CollectorTests|CoreBluetoothTests)\.
PUBLISHER := ^(DoctorTests|JournalTests|MQTTTests|PageTests|PublisherTests)\.
PROOF := ^(AttackTests|ConformanceTests|PowerCutTests)\.
.PHONY: unit-gateway
unit-gateway:
	Tests/unit.py $(UNIT) gateway $(CHANGED) --filter '$(GATEWAY)' --skip '$(ALONE)'

.PHONY: unit-collector
unit-collector:
	Tests/unit.py $(UNIT) collector $(CHANGED) --filter '$(COLLECTOR)' --skip '$(ALONE)'

.PHONY: unit-publisher
unit-publisher:
	Tests/unit.py $(UNIT) publisher $(CHANGED) --filter '$(PUBLISHER)' --skip '$(ALONE)'

.PHONY: unit-proof
unit-proof:
	@$(if $(CHANGED),,rm -rf .build/conformance .build/attacks)
	Tests/unit.py $(UNIT) proof $(CHANGED) --filter '$(PROOF)' --skip '$(ALONE)'

# All others.
.PHONY: unit-host
unit-host:
	Tests/unit.py $(UNIT) host $(CHANGED) --skip '$(GATEWAY)|$(COLLECTOR)|$(PUBLISHER)|$(PROOF)|$(ALONE)'

.PHONY: unit-alone
unit-alone:
	Tests/unit.py $(UNIT) alone --no-parallel --filter '$(ALONE)'

.PHONY: reports
reports:
	Tests/Proof/ConformanceTests/report.py --check
	Tests/Proof/AttackTests/report.py --check
	Tests/Proof/Reliability/report.py --check $(UNIT)/martlet

.PHONY: unit
unit: swift ## the unit tests that TEST names, in a debug build: TEST=JournalTests, or TEST='JournalTests|ATTTests'
	@$(PACKAGES) $(LIBRARIES) $(TOOLS)
	$(DEBUG_TESTS)
	Tests/unit.py .build/debug named --filter '$(or $(TEST),$(error say which: make unit TEST=NAME))'

.PHONY: test
test: swift ## every test, side by side; STEPS="kernel.faults page" for some with all that they need, of Tests/steps.py --list
	@$(PACKAGES) python3
	Tests/steps.py $(STEPS)

# The time of the beginning: a source that is written during the build may not be in it (Tests/unchanged.py).
.PHONY: debug-tests
debug-tests:
	@mkdir -p .build && touch .build/debug-begun
	$(DEBUG_TESTS)

.PHONY: libraries
libraries:
	@$(PACKAGES) $(LIBRARIES) lld

.PHONY: tools
tools:
	@$(PACKAGES) $(TOOLS)

.PHONY: packages
packages:
	@$(PACKAGES) $(TOOLS) $(SCENES)

.PHONY: tests
tests: swift ## the programs and the tests, as make test has them, in .build/test
	$(TEST_BUILD) --build-tests
	@size -A $(TESTS)/release/martlet | awk '$$1 == ".rodata" && $$2 > 20e6 { print "martlet has all of ICU: board/icu_data.py"; exit 1 }'

.PHONY: bare-test
bare-test: swift ## the README's two commands in a Debian 12 that has nothing but Swift; root; COMMAND=".ci/run" another one
	Tests/System/Bare/test.sh $(if $(COMMAND),"$(COMMAND)")

.PHONY: conformance
conformance: swift ## run the SIG's test cases and write docs/conformance.md and docs/conformance.json
	@$(PACKAGES) $(LIBRARIES) python3
	@rm -rf .build/conformance
	$(DEBUG_TESTS)
	Tests/unit.py .build/debug conformance --filter '^ConformanceTests\.'
	Tests/Proof/ConformanceTests/report.py

.PHONY: attacks
attacks: swift ## run the known attacks on Bluetooth hosts and write docs/attacks.json and the table of docs/security.md
	@$(PACKAGES) $(LIBRARIES) python3
	@rm -rf .build/attacks
	$(DEBUG_TESTS)
	Tests/unit.py .build/debug attacks --filter '^AttackTests\.'
	Tests/Proof/AttackTests/report.py

.PHONY: test-decoders
test-decoders: swift ## COUNT=2000 random packets a family through our decoders and other people's, and a collection's definitions through `decoder import`; FAMILIES=… SEED=…
	@$(PACKAGES) $(LIBRARIES) python3 python3-venv
	$(if $(PREBUILT),,swift build $(DEBUG_FLAGS) --product martlet-decode && $(DEBUG))
	Tests/Scenes/Decoders/run.py $(FAMILIES) --count $(or $(COUNT),2000) $(if $(SEED),--seed $(SEED)) $(if $(PREBUILT),$(BINARIES),.build/debug)/martlet-decode
	$(if $(FAMILIES),,Tests/Scenes/Decoders/definitions.py $(if $(PREBUILT),$(BINARIES),.build/debug)/martlet)

.PHONY: test-home-assistant
test-home-assistant: swift ## sensors and gateway in a real Home Assistant, by a real broker
	@$(PACKAGES) $(LIBRARIES) python3 python3-venv mosquitto mosquitto-clients
	$(PROGRAM)
	Tests/Rig/setup.sh
	.rig/venv/bin/python Tests/Scenes/HomeAssistant/run.py $(BINARIES)/martlet

.PHONY: test-home-assistant-current
test-home-assistant-current: swift ## the same in a current Home Assistant, in a Debian 13 in .build, and flashing.md word for word; root, some minutes the first time
	@$(PACKAGES) $(LIBRARIES) mosquitto mosquitto-clients chromium-headless-shell
	$(PROGRAM)
	$(if $(PREBUILT),,$(RELEASE) --product martlet-peer)
	Tests/Rig/setup.sh
	Tests/Scenes/HomeAssistant/current.sh .build/home-assistant-current
	.rig/venv/bin/python Tests/Scenes/HomeAssistant/run.py $(BINARIES)/martlet .build/home-assistant-current
	.rig/venv/bin/python Tests/Scenes/HomeAssistant/from_card.py $(BINARIES)/martlet .build/home-assistant-current

.PHONY: test-sparkplug
test-sparkplug: swift ## the gateway as an edge node of Sparkplug B, by a real broker and another implementation as its host
	@$(PACKAGES) $(LIBRARIES) python3 python3-venv mosquitto
	$(PROGRAM)
	Tests/Rig/setup.sh
	.rig/venv/bin/python Tests/Scenes/Sparkplug/run.py $(BINARIES)/martlet

.PHONY: test-page
test-page: swift ## the gateway's page: what a network may do to it, in a browser with real gateways, and all of it with a stand-in
	@$(PACKAGES) $(LIBRARIES) python3 python3-venv mosquitto
	$(PROGRAM)
	Tests/Rig/setup.sh
	.rig/venv/bin/python Tests/Scenes/Web/server_test.py $(BINARIES)/martlet
	.rig/venv/bin/python Tests/Scenes/Web/gateway_test.py $(BINARIES)/martlet
	$(if $(REAL),,.rig/venv/bin/python Tests/Scenes/Web/page_test.py)

.PHONY: test-metrics
test-metrics: swift ## /metrics, the dashboard and the alert rules beside a real Prometheus, with sensors and a broker
	@$(PACKAGES) $(LIBRARIES) python3 python3-venv mosquitto mosquitto-clients
	$(PROGRAM)
	Tests/Rig/setup.sh
	Tests/Scenes/Metrics/prometheus.sh .build/prometheus
	.rig/venv/bin/python Tests/Scenes/Metrics/run.py $(BINARIES)/martlet

.PHONY: test-surfaces
test-surfaces: swift ## page, status, doctor, why, /metrics, MQTT, Home Assistant, LED, log and phone tell the same in 80 situations; root; SHORT=1, ONLY="NAME …"
	@$(PACKAGES) $(LIBRARIES) python3 python3-venv mosquitto e2fsprogs util-linux $(if $(PICTURES),chromium-headless-shell)
	$(PROGRAM)
	Tests/Rig/setup.sh
	.rig/venv/bin/python Tests/Scenes/Surfaces/run.py $(BINARIES)/martlet $(if $(SHORT),--short) $(if $(PICTURES),--pictures $(PICTURES)) $(if $(ONLY),--only $(ONLY)) \
		--minutes $(or $(MINUTES),10)

.PHONY: test-cluster
test-cluster: swift ## gateways on three nodes of RabbitMQ, of which two are killed under load: nothing lost, order kept
	@$(PACKAGES) $(LIBRARIES) rabbitmq-server
	$(PROGRAM)
	Tests/Rig/setup.sh
	.rig/venv/bin/python Tests/System/Cluster/run.py $(BINARIES)/martlet

.PHONY: reliability
reliability: swift ## a gateway meets each fault that controllers are known for; writes docs/reliability.json and .md; FAULTS="frozen deaf"
	@$(PACKAGES) $(LIBRARIES) python3 python3-venv mosquitto mosquitto-clients
	$(PROGRAM)
	Tests/Rig/setup.sh
	.rig/venv/bin/python Tests/Proof/Reliability/run.py $(BINARIES)/martlet $(if $(FAULTS),--only $(FAULTS))
	Tests/Proof/Reliability/report.py

.PHONY: turns
turns: swift ## 64 sensors and 8 links: each wanted rate is met, or its shortfall said; twice MINUTES=12
	@$(PACKAGES) $(LIBRARIES) python3 python3-venv mosquitto mosquitto-clients
	$(PROGRAM)
	Tests/Rig/setup.sh
	.rig/venv/bin/python Tests/Proof/Reliability/turns.py $(BINARIES)/martlet --minutes $(or $(MINUTES),12)

# TIMES of each operation, AIR: of what a link carries, if less; PEOPLE: connections, pairings and set-ups, HEAVY: what writes much.
.PHONY: leaks
leaks: swift ## all that a running gateway can be asked, TIMES=10000: own memory stays; writes docs/reliability.md; ONLY="status key" for some rows
	@$(PACKAGES) $(LIBRARIES) python3 python3-venv mosquitto mosquitto-clients
	$(PROGRAM)
	Tests/Rig/setup.sh
	.rig/venv/bin/python Tests/Proof/Leaks/run.py $(BINARIES)/martlet --times $(or $(TIMES),10000) $(if $(AIR),--air $(AIR)) $(if $(JOBS),--jobs $(JOBS)) --people $(or $(PEOPLE),1000) --heavy $(or $(HEAVY),100) $(if $(ONLY),--only $(ONLY)) --write

.PHONY: soak
soak: swift ## seven days of misfortune in MINUTES=60: broker and controller fail, nothing may grow or be lost; SECONDS=180 SEED=
	@$(PACKAGES) $(LIBRARIES) python3 python3-venv mosquitto mosquitto-clients
	$(PROGRAM)
	Tests/Rig/setup.sh
	.rig/venv/bin/python Tests/Proof/Soak/run.py $(BINARIES)/martlet $(if $(filter command line environment,$(origin SECONDS)),--seconds $(SECONDS),--minutes $(or $(MINUTES),60)) $(if $(SEED),--seed $(SEED)) $(if $(JSON),--json $(JSON))

.PHONY: test-fleet-update
test-fleet-update: ## gateways updated by a server of hawkBit's DDI API, through RAUC; root; UPDATER=FILE for rauc-hawkbit-updater
	@$(PACKAGES) rauc squashfs-tools dbus openssl libubootenv-tool python3 python3-venv python3-aiohttp python3-gi
	Tests/Rig/setup.sh
	.rig/venv/bin/python Tests/System/Cluster/fleet_update.py $(if $(UPDATER),--updater $(UPDATER))

.PHONY: power-cut
power-cut: swift ## cut power at POINTS=1000 moments of a journal's life and see what is left; SEED= for the same moments again
	@$(PACKAGES) $(LIBRARIES)
	# It looks into the journal as tests do, which a release build does not allow.
	swift build $(DEBUG_FLAGS) --product martlet-power-cut
	.build/debug/martlet-power-cut --points $(or $(POINTS),1000) $(if $(SEED),--seed $(SEED)) $(if $(JSON),--json)

.PHONY: kill-nine
kill-nine: swift ## kill -9 the gateway at RUNS=200 moments under load, with a broker; SEED= for the same moments again
	@$(PACKAGES) $(LIBRARIES) mosquitto mosquitto-clients
	Tests/Rig/setup.sh
	$(PROGRAM)
	.rig/venv/bin/python Tests/Scenes/Interop/kill_nine.py $(BINARIES)/martlet --runs $(or $(RUNS),200) $(if $(SEED),--seed $(SEED))

.PHONY: bench
bench: bench-build ## CPU and memory side by side with Bumble, and what the journal costs; writes docs/benchmarks/*.json, draws them
	.rig/venv/bin/pip install --quiet --disable-pip-version-check -r Tests/System/Benchmarks/requirements.txt
	.rig/venv/bin/python Tests/System/Benchmarks/bench.py $(BINARIES)
	.rig/venv/bin/python Tests/System/Benchmarks/plot.py

.PHONY: bench-smoke
bench-smoke: bench-build ## the same harness with few packets; checks their counts and the memory of links
	.rig/venv/bin/python Tests/System/Benchmarks/bench.py --smoke $(BINARIES)

.PHONY: bench-families
bench-families: swift ## what an advertisement costs with three times as many families: at most 5 % more
	@$(PACKAGES) $(LIBRARIES)
	$(RELEASE) --product martlet-decode
	Tests/System/Benchmarks/families_bench.py $(BINARIES)/martlet-decode

.PHONY: bench-build
bench-build: swift
	@$(PACKAGES) $(LIBRARIES)
	Tests/Rig/setup.sh
	$(PROGRAM)
	$(if $(PREBUILT),,$(RELEASE) --product martlet-bench)

.PHONY: fuzz
fuzz: swift ## fuzz one part: TARGET=att-server SECONDS=60; without TARGET it lists them
	@$(PACKAGES) $(LIBRARIES)
	@Tests/Proof/Fuzz/fuzz.sh "$(TARGET)" $(if $(filter command line environment,$(origin SECONDS)),$(SECONDS),60)

# The tests in which somebody sends octets of their own choice.
RECORDED := ^(AttackTests|ConformanceTests|SMPTests)\.|DecoderTests|ConfigurationTests|PacketGuardMessageTests

.PHONY: fuzz-seeds
fuzz-seeds: swift ## write down what the tests send, in .build/seeds, where fuzzing starts from
	@$(PACKAGES) $(LIBRARIES) mosquitto mosquitto-clients
	$(DEBUG_TESTS)
	MARTLET_SEEDS=$(CURDIR)/.build/seeds Tests/unit.py .build/debug recorded --filter '$(RECORDED)'

.PHONY: fuzz-smoke
fuzz-smoke: swift ## fuzz every part for 5 seconds
	@$(PACKAGES) $(LIBRARIES)
	@Tests/Proof/Fuzz/fuzz.sh --smoke 5

.PHONY: sanitize
sanitize: swift ## the test suite under the address sanitizer, then under the thread sanitizer
	@$(PACKAGES) $(LIBRARIES) $(TOOLS)
	Tests/Proof/Fuzz/sanitize.sh address
	Tests/Proof/Fuzz/sanitize.sh thread

.PHONY: outage
outage: swift ## an hour of the gateway's clock without a broker, 200 sensors that send every second
	@$(PACKAGES) $(LIBRARIES) mosquitto mosquitto-clients
	$(DEBUG_TESTS)
	MARTLET_OUTAGE_PERIOD=1 Tests/unit.py .build/debug outage --filter OutageHourTests

.PHONY: lint
lint: swift ## check the formatting and the English
	@$(PACKAGES) python3
	swift format lint --strict -r Sources Tests Package.swift
	Tests/english.py
	Tests/words.py

.PHONY: format
format: swift ## format the sources in place
	swift format -i -r Sources Tests Package.swift

.PHONY: install
install: swift ## install the martlet binary under $(DESTDIR)$(PREFIX)/bin
	@$(PACKAGES) $(LIBRARIES)
	$(PROGRAM)
	install -D -s -m 755 $(BINARIES)/martlet $(DESTDIR)$(PREFIX)/bin/martlet

# The architecture of the package, by Debian's name; a program for another one than this machine's is built elsewhere.
ARCH ?= $(shell dpkg --print-architecture)
BINARY ?= $(BINARIES)/martlet
# A martlet that runs here, for the manual page and the completions of the package.
TOOL ?= $(BINARIES)/martlet
DEBS := $(if $(PREBUILT),$(TESTS)/deb,.build/deb)
DEB = $(DEBS)/martlet_$(shell sed -n 's/.*current = "\(.*\)"/\1/p' Sources/Gateway/GatewayVersion.swift)_$(ARCH).deb

.PHONY: deb-needs
deb-needs: swift
	@$(PACKAGES) $(LIBRARIES) debhelper dpkg-dev python3

.PHONY: deb
deb: deb-needs ## a Debian package in .build/deb; of another architecture with ARCH=arm64 BINARY=FILE
	$(if $(filter file,$(origin BINARY) $(origin TOOL)),$(PROGRAM))
	board/deb/build.sh $(ARCH) $(BINARY) $(TOOL) $(DEBS)

.PHONY: deb-test
deb-test: lint-package deb ## the package installed, upgraded and purged in a chroot, and booted with systemd in QEMU; root; PARTS=chroot
	Tests/System/Package/test.sh $(DEB) $(PARTS)

# One package an architecture: this machine's, and another's that make deb has made before.
OCI_DEBS ?= $(DEB) $(filter-out $(DEB),$(wildcard $(DEB:_$(ARCH).deb=_amd64.deb) $(DEB:_$(ARCH).deb=_arm64.deb)))

.PHONY: oci
oci: deb ## an OCI image in .build/oci of the Debian packages in .build/deb, and the folder of the Home Assistant add-on
	board/oci/build.sh .build/oci $(OCI_DEBS)

.PHONY: oci-test
oci-test: lint-package oci ## what is in the image, the gateway in it, the page's commands, the add-on; root; PARTS="image run"
	Tests/System/Package/oci.sh .build/oci $(PARTS)

.PHONY: lint-package
lint-package: ## check units and scripts of the package
	Tests/System/Package/lint.sh

BOARD ?= rpi

.PHONY: image
image: ## make the flashable image of BOARD=rpi in .build/board/images; needs root, fetches 1 GB the first time
	board/make-image.sh $(BOARD) $(PACKAGE)

.PHONY: bundle
bundle: ## make the update, signed with board/keys, of the image that make image made
	board/bundle.sh $(BOARD)

.PHONY: image-test
image-test: ## boot the image in QEMU: first reading, CUTS=10 power cuts, update, roll-back; SEED=, PHASES="first-start"
	@$(PACKAGES) mosquitto openssh-client
	Tests/Rig/setup.sh
	.rig/venv/bin/python Tests/System/Image/run.py --board $(BOARD) --cuts $(or $(CUTS),10) $(if $(SEED),--seed $(SEED)) $(if $(MINUTES),--minutes $(MINUTES)) $(PHASES)

.PHONY: image-lint
image-lint: ## check the image's recipe without making one: scripts, units, device trees, layout, boot state, seed
	@Tests/System/Image/lint.sh

.PHONY: docs
docs: swift ## make the API documentation of CoreBluetooth in docs/api; warnings and missing comments are errors
	@$(PACKAGES) $(LIBRARIES)
	@rm -rf docs/api .build/symbols && mkdir -p docs/api .build/symbols
	$(if $(PREBUILT),,$(DEBUG))
	Tests/Scenes/Documentation/symbols.sh $(if $(PREBUILT),$(BINARIES),.build/debug) .build/symbols
	Tests/Scenes/Documentation/undocumented.py .build/symbols/CoreBluetooth.symbols.json
	docc convert Sources/CoreBluetooth/CoreBluetooth.docc --warnings-as-errors \
	    --additional-symbol-graph-dir .build/symbols --fallback-display-name CoreBluetooth \
	    --fallback-bundle-identifier martlet.CoreBluetooth --output-path docs/api
	@echo "open it with: python3 -m http.server --directory docs/api 8000, then http://localhost:8000/documentation/corebluetooth"

.PHONY: site
site: ## make a site of all documents in .build/site; a link that leads nowhere is an error
	@$(PACKAGES) python3 python3-venv
	@cmp -s docs/site/requirements.txt .build/site-venv/installed.txt || { rm -rf .build/site-venv && /usr/bin/python3 -m venv .build/site-venv && \
		.build/site-venv/bin/pip install --quiet --disable-pip-version-check -r docs/site/requirements.txt && \
		.build/site-venv/bin/pip install --quiet --disable-pip-version-check --no-deps -r docs/site/requirements-mermaid.txt && \
		cp docs/site/requirements.txt .build/site-venv/installed.txt; }
	.build/site-venv/bin/python docs/site/build.py .build/site
	@echo "open it with: python3 -m http.server --directory .build/site 8000, then http://localhost:8000"

.PHONY: test-docs
test-docs: swift ## every command line of README, guides and documents, as a user would run it; root; PAGES="README.md docs/page.md"
	@$(PACKAGES) $(LIBRARIES) mosquitto mosquitto-clients openssl curl sudo iproute2 util-linux debhelper dpkg-dev python3 python3-yaml
	$(PROGRAM)
	/usr/bin/python3 Tests/Scenes/Documentation/commands.py $(BINARIES)/martlet $(PAGES)

.PHONY: test-advice
test-advice: swift ## every command that an advice names, in each installation: package, image, container; root
	@$(PACKAGES) $(LIBRARIES) mosquitto sudo iproute2 util-linux python3
	$(PROGRAM)
	/usr/bin/python3 Tests/Scenes/Documentation/advice.py $(BINARIES)/martlet

.PHONY: clean
clean: ## remove what was built; the rig in .rig stays (rm -rf .rig removes it)
	swift package clean
	rm -rf docs/api .rig/logs .build/test .build/module .build/testing .build/steps .build/tests
