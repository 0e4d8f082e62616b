"""The singer: harmonics of a gliding pitch under the formants of vowels, breath and consonants.

Formants after the alto tables of Csound's manual (appendix "Formant Values"), with i and u
moved a little so that the words can be told apart.
"""

import numpy as np

from score import BEAT, HOOK, MELODY, RATE, hertz
from tracks import FRAMES, convolved, filtered, high_pass, impulse_response, smoothed

STEP = 64  # frames between two values of the formants
CENTRES = {  # hertz
    "a": (800, 1200, 2800, 3500, 4950), "e": (480, 1850, 2700, 3400, 4950),
    "i": (330, 2200, 2950, 3700, 4950), "o": (470, 830, 2750, 3500, 4950),
    "u": (330, 720, 2530, 3500, 4950), "l": (350, 1250, 2800, 3500, 4950),
    "m": (250, 1000, 2200, 3300, 4950), "n": (250, 1500, 2500, 3300, 4950),
    "r": (400, 1150, 1650, 3300, 4950), "d": (250, 1750, 2700, 3400, 4950),
    "s": (300, 1700, 2700, 3400, 4950),
}
CENTRES["w"], CENTRES["y"] = CENTRES["u"], CENTRES["i"]
LEVELS = {  # decibels
    "a": (0, -4, -16, -22, -34), "e": (0, -11, -15, -21, -34), "i": (0, -13, -16, -21, -34),
    "o": (0, -8, -19, -24, -38), "u": (0, -11, -24, -29, -42), "l": (-5, -15, -24, -30, -40),
    "m": (-7, -22, -30, -36, -46), "n": (-7, -20, -28, -34, -46), "r": (-4, -12, -15, -30, -42),
    "d": (-26, -40, -40, -40, -50), "s": (-60, -60, -60, -60, -60),
}
LEVELS["w"], LEVELS["y"] = LEVELS["u"], LEVELS["i"]
WIDTHS = np.array([110, 130, 170, 200, 260.0])  # hertz
LENGTHS = {"l": 0.07, "m": 0.07, "n": 0.06, "r": 0.07, "w": 0.07, "y": 0.06, "d": 0.045, "s": 0.11}


class Singer:
    """Fills tracks of pitch, loudness, formants and hiss note by note, then sounds them."""

    def __init__(self, random):
        self.random = random
        count = FRAMES // STEP + 1
        self.times = np.arange(count) * STEP / RATE
        self.pitch = np.zeros(count)
        self.loud = np.zeros(count)
        self.hiss = np.zeros(count)
        self.depth = np.zeros(count)
        self.centres = np.tile(np.array(CENTRES["a"], float), (count, 1))
        self.levels = np.tile(np.array(LEVELS["a"], float), (count, 1))
        self.score()

    def span(self, start, end):
        return slice(int(np.ceil(start * RATE / STEP)), int(np.ceil(end * RATE / STEP)))

    def shape(self, start, end, first, last=None):
        """Formants on the way from one sound to another, or standing."""
        span = self.span(start, end)
        way = np.linspace(0, 1, max(span.stop - span.start, 1))[:, None] ** 1.5
        for table, values in ((self.centres, CENTRES), (self.levels, LEVELS)):
            begin, finish = np.array(values[first], float), np.array(values[last or first], float)
            table[span] = begin + (finish - begin) * way[: span.stop - span.start]

    def score(self):
        beat = sum(beats for _, beats in HOOK)
        for note, beats, onset, vowels, coda in MELODY:
            start, length = beat * BEAT, beats * BEAT
            end = start + length
            beat += beats
            if note is None:
                continue
            # A singer breathes: long notes end a little before the next begins.
            end -= 0.05 if length > 0.5 else 0.015
            self.pitch[self.span(start - 0.05, end + 0.3)] = hertz(note)
            # Vowels lie on the beat; the consonants before them are sung before the beat.
            before = start - sum(LENGTHS[sound] for sound in onset)
            for sound in onset:
                self.shape(before, before + LENGTHS[sound], sound)
                self.loud[self.span(before, before + LENGTHS[sound])] = 0.8
                if sound == "s":
                    self.hiss[self.span(before, before + LENGTHS[sound])] = 1
                before += LENGTHS[sound]
            self.shape(start, end, vowels[0], vowels[-1])
            span = self.span(start, end)
            way = np.linspace(0, 1, span.stop - span.start)
            # A little messa di voce: the voice swells into the note and eases off at its end.
            self.loud[span] = 0.82 + 0.18 * np.sin(np.pi * way**0.7)
            self.depth[span] = np.clip((self.times[span] - start - 0.22) / 0.45, 0, 1)
            for sound in coda:
                self.shape(end - LENGTHS[sound] * 1.4, end, sound)

    def sounded(self):
        def at_every_frame(values, time):
            return smoothed(np.interp(np.arange(FRAMES), np.arange(len(values)) * STEP, values), time)

        t = np.arange(FRAMES) / RATE
        held = self.pitch.copy()
        held[held == 0] = np.nan
        known = ~np.isnan(held)
        # Between phrases the pitch waits at the next note, so that no phrase begins with a swoop.
        after = np.minimum.accumulate(np.where(known, np.arange(len(held)), len(held))[::-1])[::-1]
        last = np.flatnonzero(known)[-1]
        held = held[np.minimum(after, last)]
        flutter = at_every_frame(self.random.standard_normal(len(held)), 0.03) * 0.012
        vibrato = 0.017 * np.sin(2 * np.pi * 5.4 * t) * at_every_frame(self.depth, 0.05)
        pitch = 2 ** at_every_frame(np.log2(held), 0.028) * (1 + vibrato + flutter)
        phase = 2 * np.pi * np.cumsum(pitch) / RATE
        for table in (self.centres, self.levels):
            for column in range(5):
                # Tongue and lips need some 25 ms from one place to the next.
                table[:, column] = at_every_frame(table[:, column], 0.014)[::STEP][: len(table)]
        gains = 10 ** (self.levels / 20)
        coarse = pitch[::STEP][: len(gains)]
        voice = np.zeros(FRAMES)
        for k in range(1, 46):
            f = np.minimum(k * coarse, RATE / 2)
            ratio = (f[:, None] - self.centres[: len(f)]) / (WIDTHS / 2)
            envelope = np.sum(gains[: len(f)] / np.sqrt(1 + ratio**2), axis=1)
            envelope *= (1 + (f / 900) ** 2) ** -0.15 * (f < 11_000)
            voice += np.interp(np.arange(FRAMES), np.arange(len(f)) * STEP, envelope) * np.sin(
                k * phase + 0.4 * k)
        loud = at_every_frame(self.loud, 0.016)
        tremor = 1 + 0.06 * np.sin(2 * np.pi * 5.4 * t + 0.8) * at_every_frame(self.depth, 0.05)
        noise = self.random.standard_normal(FRAMES)
        breath = filtered(filtered(noise, high_pass(1500, 2)), lambda f: 1 / (1 + 1j * f / 5000))
        sharp = filtered(noise, high_pass(5200, 3))
        voice = voice * loud * tremor
        voice /= np.max(np.abs(voice))
        voice += breath * loud * 0.006 + sharp * at_every_frame(self.hiss, 0.012) * 0.05
        room = convolved(voice, impulse_response(self.random, 1.1, 0.012, 5000))
        voice = filtered(voice + 0.1 * room, high_pass(90, 2))
        # Evens out the loudness, as an engineer does with the fader on a record.
        level = np.sqrt(smoothed(voice**2, 0.05).clip(1e-6))
        voice *= (level / np.max(level)).clip(0.05) ** -0.3
        return voice / np.max(np.abs(voice))
