// SPDX-License-Identifier: Apache-2.0

/// A certification authority and a broker's certificate for `localhost`, for tests only; good for a hundred years.
enum Certificates {
    static let authority = """
        -----BEGIN CERTIFICATE-----
        MIIBjDCCATGgAwIBAgIUeu5by7HkN6bhzZ7nTU11A3DZ5PwwCgYIKoZIzj0EAwIw
        GjEYMBYGA1UEAwwPTWFydGxldCB0ZXN0IENBMCAXDTI2MTEyMTA4NDE0MloYDzIx
        MjYxMDI4MDg0MTQyWjAaMRgwFgYDVQQDDA9NYXJ0bGV0IHRlc3QgQ0EwWTATBgcq
        hkjOPQIBBggqhkjOPQMBBwNCAARHUH/P6Bm8qr/nyu8G0RvB0d/f3C8xZllmAGn2
        4h7cvWMwd5iu/nnwlE9a03qRBT3DoduOQCwnty3UnGJ6ez2co1MwUTAdBgNVHQ4E
        FgQUwXT4Eh/gpzArrr1eeQljcd5By+0wHwYDVR0jBBgwFoAUwXT4Eh/gpzArrr1e
        eQljcd5By+0wDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNJADBGAiEAzFzy
        79xfjOXISiD4kMUiysqhgsgcCJfhSZqjWNdRWWQCIQCIjtZNeGsWlCh8Q3biDKLI
        8oOAXPWSWpmScvdqAt3G8g==
        -----END CERTIFICATE-----
        """

    static let broker = """
        -----BEGIN CERTIFICATE-----
        MIIBjTCCATKgAwIBAgIUMP9GRKCH5eFJ9YaE3XtqZ+zqRKowCgYIKoZIzj0EAwIw
        GjEYMBYGA1UEAwwPTWFydGxldCB0ZXN0IENBMCAXDTI2MTEyMTA4NDE0MloYDzIx
        MjYxMDI4MDg0MTQyWjAWMRQwEgYDVQQDDAticm9rZXIudGVzdDBZMBMGByqGSM49
        AgEGCCqGSM49AwEHA0IABDtlT4Mv+SKV+CMzYqvF1FvuyRSlH5LPzCppH8nUh7QD
        JXpwPEZU5++4/Mw0AWTrNBcxrERUhMedV7/E6/q7LzWjWDBWMBQGA1UdEQQNMAuC
        CWxvY2FsaG9zdDAdBgNVHQ4EFgQUSaJ1wa9Kb95pu5RM5C/RZFXUCjIwHwYDVR0j
        BBgwFoAUwXT4Eh/gpzArrr1eeQljcd5By+0wCgYIKoZIzj0EAwIDSQAwRgIhAL5w
        0B4oqPYsiWurni4muUVoTkgDhK6jtxqCYFZ8HwGAAiEA44y1ykNFKaIXDeEpkkAN
        VBAxt2Ldtq6hTq//qgHvO2A=
        -----END CERTIFICATE-----
        """

    static let brokerKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg7IGB+RnUNFaMWDBG
        e/EbALdqDAEw2+7ziwCU0aOLZsGhRANCAAQ7ZU+DL/kilfgjM2KrxdRb7skUpR+S
        z8wqaR/J1Ie0AyV6cDxGVOfvuPzMNAFk6zQXMaxEVITHnVe/xOv6uy81
        -----END PRIVATE KEY-----
        """
}
