import Testing

@testable import JackIO

@Suite struct SoundCardTests {
    static let cards = """
         0 [HDMI           ]: HDA-Intel - HDA Intel HDMI
                              HDA Intel HDMI at 0xf7230000 irq 45
         1 [PCH            ]: HDA-Intel - HDA Intel PCH
                              HDA Intel PCH at 0xf7234000 irq 43
         2 [USB            ]: USB-Audio - Scarlett 2i2 USB
                              Focusrite Scarlett 2i2 USB at usb-0000:00:14.0-1, high speed
         3 [Webcam         ]: USB-Audio - HD Webcam
                              HD Webcam at usb-0000:00:14.0-2, high speed
        """
    static let devices = """
        00-03: HDMI 0 : HDMI 0 : playback 1
        01-00: ALC257 Analog : ALC257 Analog : playback 1 : capture 1
        01-02: ALC257 Alt Analog : ALC257 Alt Analog : capture 1
        02-00: USB Audio : USB Audio : playback 1 : capture 1
        03-00: USB Audio : USB Audio : capture 1
        """

    @Test func cardsAreRead() {
        #expect(
            SoundCard.parse(cards: Self.cards, devices: Self.devices) == [
                SoundCard(id: "HDMI", isUSB: false, playbackDevice: 3, captureDevice: nil),
                SoundCard(id: "PCH", isUSB: false, playbackDevice: 0, captureDevice: 0),
                SoundCard(id: "USB", isUSB: true, playbackDevice: 0, captureDevice: 0),
                SoundCard(id: "Webcam", isUSB: true, playbackDevice: nil, captureDevice: 0),
            ])
    }

    @Test func noCardsAndNonsenseGiveNone() {
        #expect(SoundCard.parse(cards: "--- no soundcards ---\n", devices: "") == [])
        #expect(SoundCard.parse(cards: "", devices: "") == [])
        #expect(SoundCard.parse(cards: "0 [\n1 ]: x\n[]", devices: "zz\n--:\n0-0") == [])
    }

    @Test(
        arguments: [
            (
                SoundCard(id: "PCH", isUSB: false, playbackDevice: 0, captureDevice: 0),
                "-d alsa -d hw:PCH,0 -r 48000 -p 128 -n 2"
            ),
            (
                SoundCard(id: "USB", isUSB: true, playbackDevice: 0, captureDevice: 0),
                "-d alsa -d hw:USB,0 -r 48000 -p 128 -n 3"
            ),
            (
                SoundCard(id: "HDMI", isUSB: false, playbackDevice: 3, captureDevice: nil),
                "-d alsa -d hw:HDMI,3 -P -r 48000 -p 128 -n 2"
            ),
            (
                SoundCard(id: "X", isUSB: false, playbackDevice: 1, captureDevice: 2),
                "-d alsa -P hw:X,1 -C hw:X,2 -r 48000 -p 128 -n 2"
            ),
            (nil, "-d dummy -r 48000 -p 128"),
        ] as [(SoundCard?, String)])
    func jackdIsToldTheCard(card: SoundCard?, expected: String) {
        let realtime = PrivateServer.arguments(name: "x", card: card, isRealtime: true)
        #expect(realtime.joined(separator: " ") == "-n x -T -S -R " + expected)
        let plain = PrivateServer.arguments(name: "x", card: card, isRealtime: false)
        #expect(plain.joined(separator: " ") == "-n x -T -S -r " + expected)
    }
}
