// SPDX-License-Identifier: Apache-2.0
/*
 * mqtt_qos1 PORT COUNT SIZE IN-FLIGHT - what libmosquitto's QoS 1 costs by itself.
 *
 * Publishes COUNT messages of SIZE octets, MQTT 5, at most IN-FLIGHT of them not acknowledged, to the topics of ten
 * devices, and prints {"messages", "cpu_us_each", "seconds"}: CPU time of the process from the first publication to the
 * last PUBACK.
 */
#include <mosquitto.h>
#include <mqtt_protocol.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static int connected;
static long published, acknowledged;

static void on_connect(struct mosquitto *m, void *context, int code, int flags, const mosquitto_property *properties) {
    (void)m, (void)context, (void)flags, (void)properties;
    if (code) {
        fprintf(stderr, "mqtt_qos1: the broker refuses: %d\n", code);
        exit(1);
    }
    connected = 1;
}

static void on_publish(struct mosquitto *m, void *context, int id, int code, const mosquitto_property *properties) {
    (void)m, (void)context, (void)id, (void)properties;
    if (code >= 0x80) {
        fprintf(stderr, "mqtt_qos1: a message is refused: %d\n", code);
        exit(1);
    }
    acknowledged++;
}

static void require(int code, const char *what) {
    if (code == MOSQ_ERR_SUCCESS) return;
    fprintf(stderr, "mqtt_qos1: %s: %s\n", what, mosquitto_strerror(code));
    exit(1);
}

static double cpu_us(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return 1e6 * (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
        + (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

int main(int count_arguments, char **arguments) {
    if (count_arguments != 5) {
        fprintf(stderr, "usage: mqtt_qos1 PORT COUNT SIZE IN-FLIGHT\n");
        return 2;
    }
    long count = atol(arguments[2]), window = atol(arguments[4]);
    int size = atoi(arguments[3]);
    if (count < 1 || size < 1 || window < 1) return 2;
    char *payload = malloc((size_t)size), topic[64];
    if (!payload) return 1;
    memset(payload, 'x', (size_t)size);

    mosquitto_lib_init();
    struct mosquitto *m = mosquitto_new("mqtt-qos1", true, NULL);
    if (!m) return 1;
    require(mosquitto_int_option(m, MOSQ_OPT_PROTOCOL_VERSION, MQTT_PROTOCOL_V5), "protocol");
    require(mosquitto_max_inflight_messages_set(m, (unsigned)window), "in flight");
    mosquitto_connect_v5_callback_set(m, on_connect);
    mosquitto_publish_v5_callback_set(m, on_publish);
    require(mosquitto_connect(m, "127.0.0.1", atoi(arguments[1]), 60), "connect");
    while (!connected) require(mosquitto_loop(m, 100, 1), "loop");

    double begun = now(), used = cpu_us();
    while (acknowledged < count) {
        while (published < count && published - acknowledged < window) {
            snprintf(topic, sizeof topic, "mqtt-qos1/dev/c05e5000000%ld/state", published % 10);
            require(mosquitto_publish_v5(m, NULL, topic, size, payload, 1, false, NULL), "publish");
            published++;
        }
        require(mosquitto_loop(m, 100, 1), "loop");
    }
    printf("{\"messages\": %ld, \"cpu_us_each\": %.3f, \"seconds\": %.3f}\n", count, (cpu_us() - used) / (double)count,
           now() - begun);
    mosquitto_disconnect(m);
    mosquitto_destroy(m);
    mosquitto_lib_cleanup();
    free(payload);
    return 0;
}
