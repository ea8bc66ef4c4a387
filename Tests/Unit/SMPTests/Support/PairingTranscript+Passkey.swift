// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

extension PairingTranscript {
    /// Passkey Entry of Secure Connections: 20 rounds each.
    static let passkeyEntry: [PairingTranscript] = [
        PairingTranscript(
            name: "sc-passkey-000000",
            initiator: DeviceAddress(kind: .public, value: 0x00A0C91D3301),
            responder: DeviceAddress(kind: .public, value: 0x00A0C91D3302),
            key: "8768a1133fad236877b2feabdc6dda76",
            initiatorPrivateKey: "06a516693c9aa31a6084545d0c5db641b48572b97203ddffb7ac73f7d0457663",
            responderPrivateKey: "529aa0670d72cd6497502ed473502b037e8803b5c60829a5a3caa219505530ba",
            passkey: 0,
            pdus: """
                > 0102000d100303
                < 0200000d100303
                > 0cdd785c74039b7e98cb94874aadfaf8d5433e5cafeab54cf49e8079577ba4312c4f5d71437743f8ead43ebd17911021 \
                   d01f87438e40e252cdbedf983818129591
                < 0ccc0065e1f56c0dcfec96472066c9db848175a84dc0dfc79d1b3f3df23fe465f479b2ecd8ca55a1a8434d6bca10b0c2 \
                   01c2334e1624c4efee99d8bbbc48d00102
                > 03e325deef0f127f52fe564109ef081583
                < 03d8632d3adcbff84612e9ef855107247b
                > 04c359a35399aa2e2a6ce575f294ba84ee
                < 0449534089dace3857cb4d317366ffb7b9
                > 0309c5ef4845f9cc21ec3b53a316a21e2d
                < 0375f879eabd08b4f4a4df5088831a031b
                > 04c2d1a11a29dd229d41d184c09962efe8
                < 0435a6dadff665a5f1fb8ea5e64eb93f8b
                > 0390cb6eb324cc848081d8677e9c91d509
                < 0360966ae9807c28f5f21ae3e6675fe169
                > 04d64c4339aa9155e35c56f0543369fb05
                < 04ee15fe828c277c70608b0a6741c1fd71
                > 03a13abb62f61ccb1f1178e17f6b956c1e
                < 03ff38d48b7f3a22c47ed170216fb39676
                > 0464f2c7c96e231eef0efb69e685dbdb87
                < 04e8cfc8b0ea5974aabde0f84717aed35a
                > 0346c6ef1c406e0d481fc63099e59ac0e2
                < 03ba9714b543b372ce59b46991a594d646
                > 04faca4e8eb25739349de6f1c7bcb03642
                < 046d0e1d27737eb82aaea08cff4edb5d27
                > 035f45a7ce9743cb40624c51c03e910a11
                < 034d457f859a260572eec93e473520185f
                > 044b7f160b3bd513df97b21f263ac4c938
                < 046fa706acc86bb7cb9fd391220ad5f8d5
                > 034695b8e1b2da6491b7c037ea312d6924
                < 0331c1c3eba8923d238d384eea73d74eb1
                > 040a95f966d29333ab7032d9f069feda24
                < 04b6c351d4f407ce83220795caf485be8b
                > 031059ff206f8df22146786d7ba4887975
                < 03b7ef90477f7136730b69fff7c3657aff
                > 04e12712326cac093d01df94eef31a7b83
                < 040d859b63390b09e4d4d6d1e091e849cf
                > 03e0f2aecd06870d4793eb591ffc5efc70
                < 038dd1ed7886797d35ff77e31ec47702b4
                > 04fd95d84dc7ccb4f9d52c201521fb6f8d
                < 047038b0b4c83b597150519ead8ccc840c
                > 038a92ebff9f77848d37415852e63f4b36
                < 03012ff4d4f003b0b5ca73755d8cb6f60e
                > 04aa9d66eb49ac12b49a96efb6e3bea0ff
                < 040df3cff09d8b21c2e8b027275bab7277
                > 03f90d0d7c5516e30882cdc1e8da65b03e
                < 034f1c2e94dc5bcf1ae8f93543f188fd9d
                > 04f5bdc0c1e56016f598d0bede5fb8784a
                < 04cd01ab68a34bc38b232b33c7a78a88b4
                > 03eb73b08d3208d6cc9288e68becba0d52
                < 033120714421164342eddecdde5bba5389
                > 045f68b475e6ab3c090464850c300b4fa7
                < 044cb3e571234bf83582f393339771ee88
                > 030165eae363cf952c2ccf5d2a4b4b2884
                < 035316272f35e191110e228f731642d00b
                > 04bfce3de12a0b5816afe90117666b0a68
                < 048e09c8f78430ff42589d2eb2c4264f13
                > 034448d29255a12ba49346951d3552e6bc
                < 03ba6f682911ca1d5ebdd44565328ec33c
                > 04f659f815add76798a443cf5876b41fa8
                < 044a8c8f411a101e42b62c3ade8aa90ed5
                > 037a89465c0ced82b38df80f8664444e10
                < 03228f14cc600431800598f9d4723a616e
                > 04b87f68f7deca96d84747124c380b6dcf
                < 047b04bbd224b1d8bc08071f4bc93cd2b4
                > 037e3d405d75f4bed5fc935e10b6e54679
                < 03d22a5715d3ebc37e4dab50ca02a5acc3
                > 0492a627108890a39f447c2cf809c006b1
                < 0481bbfafd52c7d701575d7245e4470ab2
                > 03e168f2c64cd6344d909534ea872c6d15
                < 03980e0bad68fe91fa74a5359a29218ebd
                > 04583b83034ef5b7622c6cb32797f9dabe
                < 04ff50cc34a59263c215d8fe98890ccb05
                > 03c992c5a6baff0a57477fffd5c82afbd4
                < 0346724e6266a01ba83770c3a161ab4272
                > 04f2fa25b52c14101cc55c805eeac0b005
                < 044e38d148faf7cc88c561ebdd52b254ef
                > 03396ad7d1ecb8e1fcf287d24cc635d6e7
                < 03a9900ecdf6254465525ef839503aca62
                > 04725612458c0c90dbfcf180d108d43c4e
                < 04639f641c9ffc3289d497646b8752618f
                > 03311eb4b03bf0ed8aae1263be80066aff
                < 03ac6cc88cceea10a793912faff678ad5c
                > 048c049a4490913afc44e4305ce8915892
                < 0435dce85f44e4883dd5b7bead68f92cd9
                > 0dd7f229c03bd253d994e07239e9fae603
                < 0d1714b5ad918eaaaf06a24b4dbe0eca73
                """),
        PairingTranscript(
            name: "sc-passkey-019655",
            initiator: DeviceAddress(kind: .random, value: 0x7081940DFBAA),
            responder: DeviceAddress(kind: .random, value: 0xF1A0C91D3305),
            key: "3f198e533a696bf9f98eb3721e98eb49",
            initiatorPrivateKey: "3f49f6d4a3c55f3874c9b3e3d2103f504aff607beb40b7995899b8a6cd3c1abd",
            responderPrivateKey: "55188b3d32f6bb9a900afcfbeed4e72a59cb9ac2f19d7cfb6b4fdd49f47fc5fd",
            passkey: 19655,
            pdus: """
                > 0100000d100303
                < 0202000d100303
                > 0ce69d350e480103ccdbfdf4ac1191f4efb9a5f9e9a7832c5e2cbe97f2d203b0208bd28915d08e1c742430ed8fc24563 \
                   765c15525abf9a32636deb2a65499c80dc
                < 0c90a1aa2fb27790559fa61586fd8ab547004c9ef184225909961daf1ff0f0a11e4a21b115f9af895f76368ee230112d \
                   476051b89a3a70567337ad9d423ef3554c
                > 038ed05398222e0f0e907092c03e96b7ca
                < 03b8488cd1c233108652431d339e77788a
                > 04a331c232a8c931258c7365dc4a6158b1
                < 043d7206662f92d76297ac12cd0de44ad1
                > 0334e7c9ee9b90ad4029025fbfdec44496
                < 032d37ef263002c5b5f655344e8cf1b900
                > 049a24f5c3fa149ee4412f1018b494aa8d
                < 0431eb0de21eead3b3350c0856e3907939
                > 038c2b8cc8126a372985a519b463835478
                < 03c0ec6c555d7ccffcf5b00671b276b1a1
                > 041d6316429a508011b4bf389337504df3
                < 04b945d132b040f95eea68f5c204346af4
                > 032772a209894b7bf8ef6439249a6b4e3e
                < 03a9ea7186e077b817e3b5bfb6c84fb4dd
                > 04b8419f67c8cde54eeeb499b81b6ba1c9
                < 042bf7e592dbbc0bcdd9b5804e6b7447c6
                > 03e0e9da4e8bcd499e5c4569c7206c4112
                < 03e197e439d377ffe8bdda7725a95a93a8
                > 04d1a0eaac2dcda2505c9d328b5f01c45f
                < 0419ab1f0ee396af93c4fd1b938b46cb8d
                > 03e141901470320b3b2eaf8009184bf7bd
                < 0394088ef48fc74eb2e60b3568439caf39
                > 0407c181ed7455e2e72071f1381749e1a4
                < 048881f82abd15b1a85aee4d326dbb975b
                > 0310e31b06c4e9f398932c9a43b1ecabf4
                < 03c3556a848d65fb13b964e4421675b5bc
                > 048829334ac78759e742db26bd1388b767
                < 0404028ec1e71c6194902569f21ddfbf6c
                > 03190dc94db01ed6fa35be0b31ce0683fb
                < 0301e528b3e12876cc117b8742c6ca8b14
                > 04477167805f126c8e255fd5bf1dc7779c
                < 0497eed6a49d101b4cf5f54c65c90cd870
                > 03f5debd67b2e582346925a84ccbaaa5ae
                < 03b1c8dc5076d9299d9a66c12a9a7c0b9a
                > 04c128f87c1e4857bc081189ce78eb70c8
                < 041720c5427fb59379842a9f4b30075d03
                > 036062247c4c5d51451caed6ff147cdb7d
                < 03a5e6b0c2f91318c7132d0ffbb02f9a2b
                > 046bb8a61154698a829424750ccee899c4
                < 0403bf65604c3a5076955db95008b5e640
                > 03f47d3cbe1bc70220cc96da0330c39d54
                < 03e1e3705051881738951288ef957e27ed
                > 041f8bb74b991a0834f37f4f7054492f76
                < 04ace662ee7bcc50ac81819841db6ad4bc
                > 03483e5ac6ffc7efabc21b5cc817f2b478
                < 0335a6e54a461a0513e63e980b1674d10c
                > 045cd9405075066cd397727766d5f050b3
                < 046c4e032b9a5e7df4c080d7d097218f1d
                > 030e28220ccf3a823c67d524ee18e08a51
                < 037fec110437a799244255df9be8fc604a
                > 04b20a9d29e21cdb4708a5752a6aba9b08
                < 044356c78d86248e9f6bc2598fd6887fab
                > 038d052835f53a4d8da657c299e44fb04a
                < 034362a7204e2213cba82617ab2c9420d3
                > 04e9474be464c01dc2c11eefae5691e8bb
                < 04f525c72a90f5699e3a0bf8e47e4d0891
                > 03ce84b2eba0f87883c6f84b73439aaaf7
                < 0327e884d2734c717fefbdc8899f20b529
                > 0459684c21bdb628c9810ce082a9f4f743
                < 04e73307f31731ab6824481ea984ea0011
                > 03d3e16a6799e23dac1deeb0a4dd720325
                < 033e282a70e88700bc814d0a5c045a9590
                > 047242349418d472a6d260b1fe7994641e
                < 040af2b921b5138b7a7dd9e8c3f5c58e93
                > 03c7e0a7b65d39fd92139ff1709dfbdbe9
                < 0335bb298743863dfaa777fbec231beaed
                > 04c0d553660fe1dd931decec92e312f49e
                < 04cbf28ef0351138a7565804953323be9e
                > 03db87b5bd5e239310344f4d361642f5c5
                < 039212515753d8c6efba1af2ca0116ac13
                > 04e43dd42822c9416b901fb7df1ffe9308
                < 04b84a9c4d9afa4e63d79ecde159721631
                > 039bfae981dbdc5e589a78d0cdca52a0bf
                < 033d4a0ef60d97bb8c26967dc23a921534
                > 04df4b600abd2e8fe64f518828a112a04d
                < 04530b606adfbb6b8c696959809f2182f8
                > 0313a00dc6deb65fa6da4c5a341717291d
                < 03cbb6b1dd55d7285ea2f943b62d6f57ad
                > 046b50a2c7b84817dbed311ec4508765c3
                < 0433250462ef51ea541e894e3af837599d
                > 0d82d31725bd9da17638e0e44c19f55274
                < 0d8c0f0e054652beebbe8e87d3670fcaef
                """),
        PairingTranscript(
            name: "sc-passkey-999999",
            initiator: DeviceAddress(kind: .public, value: 0x00A0C91D3301),
            responder: DeviceAddress(kind: .public, value: 0x00A0C91D3302),
            key: "1bfdf8334110cca41299dfb911b1cefb",
            initiatorPrivateKey: "3f49f6d4a3c55f3874c9b3e3d2103f504aff607beb40b7995899b8a6cd3c1abd",
            responderPrivateKey: "55188b3d32f6bb9a900afcfbeed4e72a59cb9ac2f19d7cfb6b4fdd49f47fc5fd",
            passkey: 999999,
            pdus: """
                > 0104000d100303
                < 0204000d100303
                > 0ce69d350e480103ccdbfdf4ac1191f4efb9a5f9e9a7832c5e2cbe97f2d203b0208bd28915d08e1c742430ed8fc24563 \
                   765c15525abf9a32636deb2a65499c80dc
                < 0c90a1aa2fb27790559fa61586fd8ab547004c9ef184225909961daf1ff0f0a11e4a21b115f9af895f76368ee230112d \
                   476051b89a3a70567337ad9d423ef3554c
                > 030265a29b4a8246a908c1d494aca665fc
                < 03b176e5b8b19f560fa849350eebf17c55
                > 04341e01a909496345744b236b7357838a
                < 0458c7a2cd0a63aca652b997b7fe07400f
                > 0301cc0a316acc2b33e91788cc533813fe
                < 039dc9557023c00d59e379ac1d5ab8134a
                > 042696ae2c790236aedd283fc45bd03916
                < 04f467a72e0f2dc9658767b669b0229e27
                > 03b3d3881791962fae778968d82cc09956
                < 0340ff7d24d4c4d788fc66e64b1af07330
                > 048930b8985cd257e9e1e48a717c28ffea
                < 04031276bcdbe7a431a0b2332619639939
                > 038650ba41697653479808de0777923538
                < 03a5083eff906164e6ff233023cbbeffb6
                > 041cdb939de3b9ab2d362e3ca237314893
                < 0459d21220f9433a8ab053c5f55fc9fcda
                > 03946a8df583690c03c20c52c1ad786138
                < 03fdb78bb4d3b5d191d042f9d77d4708d3
                > 047c32d397febfca1b170d75ac6635ebfc
                < 043a134b322993bdeb0859886c77a48a85
                > 03ac73748fd71d36296ab69b34a74202ca
                < 03cf66ec9b59357a07b7585fd6c084dd47
                > 045556ce871594a03b54b605e7ae78f38b
                < 048844c0e20c54f742343f59a7d166fb6d
                > 0343917b417f97e283a2056efdb978c11c
                < 035f150021402b273784660218f9c16c7e
                > 0450f38202a8a52d3e024d9784aa1b69cd
                < 04779e34f7d4c61d44d5f034897523af05
                > 030d56316b9f0cb539a89babaa8f0a01cd
                < 03632030ab9d6dbe04a6c496775cf626aa
                > 04b423d8695ebffc5103d24c65be7e9a71
                < 0487af9aade2962011b31c218e2eeaf493
                > 03e8305f278ee0f1b92283b9aeff4cb100
                < 03efadb55f07d7311753af0a45b2fcc6ba
                > 046400b630309807d94dbedcc06884707c
                < 04f90c9ce7272430d6b133e1aa67822026
                > 0381c7e63ee527aff18dc6b65a0d755bf0
                < 0347a02e60d0298978b12825bcd8b63931
                > 04d90c3815649938826b9e34adf4865186
                < 0437d33ccfb58723986c194271e9784d75
                > 035d4b2c2867fb6af138280e2125af93fc
                < 035fbaf0c61ad4a599d13eadc868c298ef
                > 047735cd1a72cd4708540426303f7e4aef
                < 0417540cf96791d580169b0c47d4aa4e7b
                > 038886b7076d59e22ac33e979e63fe0998
                < 03e80dc2c37801d3c2b08beeff50681135
                > 042a3fca03958c67f57105dc73560f32f0
                < 040327cbbf8d62926091b69ac08801b593
                > 03e38bc05281cc69a248a3e7ffbc57f722
                < 0327a72929da519d54a60b522a0dc2fda5
                > 0457fff8f2154f09a8a051a2e853494e9a
                < 049562ef22a83c879b80a6435dc0b95666
                > 03bc74dddd72fea1b76659bb932d475e27
                < 031e901d5ddb5ebc91add019b2b60bffc3
                > 04941b78296dcc9691f11b50c1ef5ec0e9
                < 0438da7afd054c73ad44e2d34a4b35750a
                > 0306348ee01f1430b38eb6250a8ab8dfdc
                < 03a228e36c7e016c2e5db0ee8266987f10
                > 042ebc5831e0dc8ebf24a9c45b49013503
                < 041ef106fe5adb2ee5403958c72f0e8032
                > 03235b3a655afda462cc448233198f93a9
                < 03ae6729ed3865063e05352a2fab46ae40
                > 0442ef1aaded1b96f566080e7c006be5e3
                < 04e907fa183e880e56c1df053ecbb2046a
                > 03b8f31fbbbc0d21e2f1fe9857dc2f0399
                < 031a1a11ab6c4e6186ac3d51b8cff7bcb2
                > 040fdddc95d66e05f2e3f0695b27971e0d
                < 041b23a26b73b5e8653fb9f12066ff950f
                > 033232a4f95b12d5d61537fe8493438d7b
                < 03c8b298f2f087207614278b6a40575375
                > 04bc50c11c140a253f303519c299e20d4b
                < 04b2a4e93974b1d8a0d3f48a8eb6c7d2ef
                > 03f78252d6db4be30dd594097c256bc87d
                < 0385b57b84196571cf31adec7ff2796803
                > 0469d4dd14cecac164754d555ce410f66d
                < 04cfff0d5b7dc3218f1ff0d71772a41f34
                > 03e7846ba4855525a7f69e3a5143cc938f
                < 031be645553676fde271569919134ea21b
                > 04577be07b777f775283ee65ec5eb9ad02
                < 0431e9b0a8da36e9540f7feb6a4bd34fea
                > 0d8deba0fc044b237483e02cb1f89f4f41
                < 0d00731b022b2eb5e27481ede9a6ae192e
                """),
    ]
}
