// SPDX-License-Identifier: Apache-2.0

// Die Probleme des Gateways auf Deutsch: the texts of Sources/Health/ProblemTable.swift, ProblemVariant.swift and ProblemPhrase.swift, by their names.
// The names in braces are the same there. Behind the `=` is JSON: Tests/Unit/PageTests/GermanProblemTests.swift reads it.

export const problems = {
  "codes": {
    "radio-down": {
      "title": "Der Bluetooth-Controller funktioniert nicht",
      "text": "{state}",
      "remedy": "Führen Sie {martlet doctor} aus: Das prüft den Adapter, und wer ihn sonst benutzt."
    },
    "radio-trouble": {
      "title": "Der Funk tut seine Arbeit nicht",
      "text": "{trouble}",
      "variants": { "step": { "text": "{trouble}; {parts}" } }
    },
    "radio-silent": {
      "title": "Der Funk hört nichts",
      "text": "Das Gateway sucht und hat seit {time} kein Gerät gehört",
      "remedy": "Ist die Antenne angeschlossen, und ist ein Sensor in der Nähe? Metall um das Gateway hält alle Signale ab.",
      "variants": {
        "scan": {
          "text": "Die Suche hat seit {time} kein Gerät gehört; Verbindungen funktionieren",
          "remedy": "Das Gateway beginnt die Suche von selbst neu. {martlet doctor} sagt mehr."
        }
      }
    },
    "radio-refuses": {
      "title": "Der Adapter kann etwas nicht",
      "text": "{refusal}; an den Sensoren liegt es nicht{parts}"
    },
    "disk-full": {
      "title": "Der Speicher ist voll",
      "text": "Messwerte können nicht geschrieben werden und gehen verloren, sobald im Arbeitsspeicher kein Platz mehr für sie ist: {error}",
      "remedy": "Schaffen Sie Platz, mindestens ein MiB: {machine room}; {martlet buffer stats} zeigt, wie viel das Journal belegt.",
      "variants": { "free": { "text": "Weniger als 1 MiB von {total} ist frei: Neue Messwerte können verloren gehen" } }
    },
    "disk-fails": {
      "title": "Messwerte können nicht auf den Speicher geschrieben werden",
      "text": "{error}",
      "remedy": "Führen Sie {martlet doctor} aus, um den Speicher zu prüfen.",
      "variants": { "stuck": { "text": "{waiting} Messwerte warten auf den Speicher, der seit {time} keine angenommen hat" } }
    },
    "disk-low": {
      "title": "Der Speicher ist fast voll",
      "text": "{notice}",
      "remedy": "Schaffen Sie Platz auf dem Speicher ({machine room}), oder lassen Sie das Journal weniger davon frei: [journal] min_free_mb.",
      "variants": {
        "free": {
          "text": "{free} MiB von {total} MiB sind frei",
          "remedy": "Schaffen Sie Platz: {machine room}. Wenn der Speicher voll ist, werden die ältesten wartenden Messwerte verworfen."
        }
      }
    },
    "broker-unreachable": {
      "title": "Keine Verbindung zum Broker",
      "text": "{reason}",
      "variants": {
        "kept": { "remedy": "Messwerte warten inzwischen im Journal." },
        "early": { "text": "{broker}: noch nicht verbunden" },
        "early-kept": { "text": "{broker}: noch nicht verbunden", "remedy": "Messwerte warten inzwischen im Journal." }
      }
    },
    "name-taken": {
      "title": "Ein anderes Gateway hat den Namen dieses Gateways",
      "text": "Zwei Gateways heißen {gateway}, und ihre Messwerte geraten durcheinander",
      "remedy": "Führen Sie auf der Kopie {martlet identity --new-gateway} aus, danach: {machine restart}. Ein Gateway mit gateway.id in der Konfiguration braucht dort eine andere gateway.id."
    },
    "gateway-copied": {
      "title": "Dieses Gateway ist eine Kopie",
      "text": "{former} wurde auf diese Maschine kopiert, und die Kopie heißt {gateway}",
      "remedy": "{former} hat ein neues Board: {martlet identity --same-gateway}. {former} läuft anderswo: {martlet identity --new-gateway}. Danach: {machine restart}"
    },
    "broker-refuses-readings": {
      "title": "Der Broker lehnt Messwerte ab",
      "text": "Die Messwerte {parts} werden nicht angenommen",
      "remedy": "Vielleicht erlaubt die Zugriffsliste des Brokers dem Benutzer des Gateways nicht, auf seinen Topics zu senden. Die Messwerte bleiben im Journal, und das Gateway versucht es weiter.",
      "variants": {
        "reason": { "text": "Die Messwerte {parts} werden nicht angenommen: {reason}" }
      }
    },
    "not-acknowledged": {
      "title": "Der Broker bestätigt keine Messwerte",
      "text": "{waiting} Messwerte warten, und seit {time} wurde keiner bestätigt",
      "remedy": "Ist der Broker überlastet oder das Netz unterbrochen? Sein Protokoll sagt mehr."
    },
    "broker-complains": { "title": "Nicht alles wird gesendet", "text": "{reason}" },
    "history-paused": {
      "title": "Die Historie ist angehalten",
      "text": "Die Historie ist angehalten, und {waiting} Messwerte warten",
      "remedy": "{martlet buffer resume}",
      "variants": { "single": { "text": "Die Historie ist angehalten, und 1 Messwert wartet" } }
    },
    "power-weak": {
      "title": "Das Netzteil ist zu schwach",
      "text": "Die Spannung des Netzteils ist jetzt zu niedrig",
      "remedy": "Verwenden Sie das Netzteil des Herstellers: Bei zu wenig Strom fällt der Funk als Erstes aus."
    },
    "power-was-weak": {
      "title": "Das Netzteil war zu schwach",
      "text": "Die Spannung des Netzteils war seit dem Start der Maschine einmal zu niedrig",
      "remedy": "Verwenden Sie das Netzteil des Herstellers: Bei zu wenig Strom fällt der Funk als Erstes aus."
    },
    "too-hot": {
      "title": "Der Prozessor ist zu heiß",
      "text": "Der Prozessor hat {degrees} °C",
      "remedy": "Sorgen Sie für Luft oder einen Kühlkörper: Ab 80 °C wird er von selbst langsamer."
    },
    "memory-grows": {
      "title": "Der eigene Arbeitsspeicher des Gateways wächst",
      "text": "Der eigene Arbeitsspeicher des Gateways wächst: von {from} auf {to} in {hours} Stunden",
      "remedy": "Vielleicht ist es ein Fehler des Programms. Schreiben Sie einen Bericht mit {martlet support-bundle -o}, danach: {machine restart}"
    },
    "certificate-invalid": {
      "title": "Ein Zertifikat ist nicht gültig",
      "text": "{key} ist am {date} abgelaufen: {file}",
      "remedy": "Erneuern Sie das Zertifikat.",
      "variants": {
        "not-yet": { "text": "{key} beginnt am {date} und gilt noch nicht: {file}", "remedy": "Stimmt die Uhr?" },
        "empty": { "text": "{key} hat kein Zertifikat in PEM: {file}", "remedy": "Legen Sie das Zertifikat wieder dorthin." }
      }
    },
    "certificate-ends": {
      "title": "Ein Zertifikat läuft bald ab",
      "text": "{key} läuft in {days} Tagen ab, am {date}: {file}",
      "remedy": "Erneuern Sie das Zertifikat."
    },
    "part-late": {
      "title": "Ein Teil des Gateways antwortet nicht",
      "text": "{part}",
      "remedy": "Ist der Speicher langsam oder der Rechner überlastet? {martlet status} sagt mehr."
    },
    "clock-unknown": {
      "title": "Das Gateway kennt die Uhrzeit nicht",
      "text": "Messwerte warten auf die Uhrzeit",
      "remedy": "Geben Sie dem Gateway ein Netz mit einem Zeitserver, oder: {martlet clock set --now}"
    },
    "configuration": { "title": "Einstellungen des Gateways sind nicht in Ordnung", "text": "{what}" },
    "bonds": { "title": "Gekoppelte Geräte sind nicht in Ordnung", "text": "{what}" },
    "webhook-fails": {
      "title": "Der Webhook nimmt keine Ereignisse an",
      "text": "{server}: {error}; {waiting} Ereignisse warten",
      "remedy": "Läuft der Server, und stimmen post_url und header unter [webhook]? Die Ereignisse bleiben im Journal, und das Gateway versucht es weiter.",
      "variants": { "single": { "text": "{server}: {error}; 1 Ereignis wartet" } }
    },
    "sensor-maintenance": {
      "title": "{subject}",
      "text": "In Wartung, noch {time}",
      "remedy": "Führen Sie {martlet maintenance} aus, um die Wartung zu beenden."
    },
    "limit-above": { "title": "{subject}", "text": "{parts}" },
    "limit-below": { "title": "{subject}", "text": "{parts}" },
    "limit-silent": { "title": "{subject}", "text": "{parts}", "remedy": "Führen Sie {martlet why} aus" },
    "sensor-trouble": { "title": "{subject}", "text": "{cause}" },
    "sensor-fails": { "title": "{subject}", "text": "{cause}; es wird weiter versucht" },
    "sensor-lacks": { "title": "{subject}", "text": "Am Sensor fehlt: {missing}" },
    "sensor-silent": {
      "title": "{subject}",
      "text": "Still: Kein Wert kommt",
      "remedy": "Führen Sie {martlet why} aus",
      "variants": { "usually": { "text": "Still: Kein Wert kommt, obwohl sonst alle {time} einer kommt" } }
    },
    "sensor-not-understood": {
      "title": "{subject}",
      "text": "Der Sensor ist zu hören, aber was er sendet, wird nicht verstanden",
      "remedy": "Führen Sie {martlet why} aus"
    },
    "sensor-never-heard": {
      "title": "{subject}",
      "text": "Seit dem Start des Gateways ist kein Wert gekommen",
      "remedy": "Führen Sie {martlet why} aus"
    },
    "sensor-awaited": {
      "title": "{subject}",
      "text": "{state}",
      "remedy": "{advice}",
      "variants": {
        "nearest": { "text": "Noch nicht gesehen; sein Eintrag verlangt {wants}", "remedy": "In der Nähe: {parts}" },
        "unheard": {
          "text": "Noch nicht gesehen; sein Eintrag verlangt {wants}",
          "remedy": "Nichts dergleichen war zuletzt zu hören: Ist er eingeschaltet und in der Nähe{parts}?"
        }
      }
    },
    "sensor-battery-low": {
      "title": "{subject}",
      "text": "Seine Batterie ist schwach{level}",
      "remedy": "Wechseln Sie seine Batterie bald."
    },
    "values-missing": { "title": "{subject}", "text": "{count} Werte sind nie gekommen, nach den Nummern des Sensors" },
    "readings-dropped": { "title": "{subject}", "text": "{count} Messwerte verworfen: {parts}" },
    "values-unconfirmed": { "title": "{subject}", "text": "{count} zu bestätigende Werte waren nicht rechtzeitig auf dem Speicher" }
  },
  "phrases": {
    "over": "; es ist vorbei und wird noch eine Weile beobachtet",
    "known": "; zur Kenntnis genommen",
    "known-for": "; zur Kenntnis genommen, noch {time}",
    "above": "{quantity} stieg über {limit}",
    "above-value": "{quantity} stieg über {limit}: {value}",
    "below": "{quantity} fiel unter {limit}",
    "below-value": "{quantity} fiel unter {limit}: {value}",
    "no-value": "Seit mehr als {time} ist kein Wert gekommen",
    "dropped": "{count} × {drop}",
    "sensor": "eines Sensors",
    "sensors": "von {count} Sensoren",
    "links-only": "; Sensoren mit einer Adresse im Eintrag werden trotzdem verbunden",
    "elsewhere": ", oder hat ein anderes Gateway eine Verbindung mit ihm",
    "step-scan": "die Suche wurde neu gestartet",
    "step-reset": "der Controller wurde zurückgesetzt",
    "step-reopen": "der Controller wurde geschlossen und wieder geöffnet",
    "step-power": "der Adapter wurde aus- und wieder eingeschaltet",
    "step-rebind": "der Adapter wurde von seinem Treiber getrennt und ihm zurückgegeben",
    "step-process": "das Gateway wurde neu gestartet",
    "step-reboot": "der Rechner wurde neu gestartet",
    "step-failed": "der Schritt {step} ist gescheitert: {reason}",
    "named": "„{name}“ ({signs})",
    "named-service": "„{name}“ ({signs}, hat den Dienst)",
    "named-closed": "„{name}“ ({signs}, nimmt keine Verbindung an)",
    "named-service-closed": "„{name}“ ({signs}, hat den Dienst, nimmt keine Verbindung an)",
    "unnamed": "ein Gerät ohne Namen ({signs})",
    "unnamed-service": "ein Gerät ohne Namen ({signs}, hat den Dienst)",
    "unnamed-closed": "ein Gerät ohne Namen ({signs}, nimmt keine Verbindung an)",
    "unnamed-service-closed": "ein Gerät ohne Namen ({signs}, hat den Dienst, nimmt keine Verbindung an)"
  },
  "values": {
    "the name": "den Namen",
    "the address": "die Adresse",
    "the identifier": "die Kennung",
    "the service": "den Dienst",
    "the family": "die Familie",
    "and": "und",
    "less than 1 s": "weniger als 1 s",
    "end the gateway and start it again": "das Gateway beenden und wieder starten",
    "the controller does not answer: its last known state is shown": "Der Controller antwortet nicht: Zu sehen ist sein letzter bekannter Zustand",
    "the collector does not answer: its last known state is shown": "Der Teil, der Werte sammelt, antwortet nicht: Zu sehen ist der letzte bekannte Zustand der Sensoren",
    "the journal does not answer: its last known state is shown": "Das Journal antwortet nicht: Zu sehen ist sein letzter bekannter Zustand",
    "heard, but its advertisements are not understood": "Er ist zu hören, aber was er sendet, wird nicht verstanden",
    "heard, but takes no connection": "Er ist zu hören, nimmt aber keine Verbindung an",
    "the journal's disk is nearly full: the journal does not grow any more, and its oldest readings go for new ones when it is full": "Der Speicher des Journals ist fast voll: Das Journal wächst nicht mehr, und wenn es voll ist, weichen seine ältesten Messwerte neuen"
  }
};
