"""Which instrument plays which notes, and where in the stereo image: makes the song."""

import numpy as np

import instruments as play
from score import (BARS, CHORUS, ENDING, HARMONY, HOOK, INTRO, MELODY, RATE, VERSE, frame, hertz)
from tracks import (FRAMES, convolved, filtered, high_pass, impulse_response, low_pass, panned,
                    place)


def decibels(value):
    return 10 ** (value / 20)


class Arrangement:
    """`dry` is the mix, `room` what goes to the reverb as well; both stereo."""

    def __init__(self, random):
        self.random = random
        self.dry = np.zeros((2, FRAMES))
        self.room = np.zeros((2, FRAMES))
        self.kicks = []

    def add(self, track, pan, level, room):
        """`level` and `room` (the send) in decibels."""
        stereo = panned(track, pan) * decibels(level)
        self.dry += stereo
        self.room += stereo * decibels(room)

    def drums(self):
        kick, snare = np.zeros(FRAMES), np.zeros(FRAMES)
        hats, ride, toms = np.zeros(FRAMES), np.zeros(FRAMES), np.zeros((3, FRAMES))
        for bar in range(BARS - 1):
            beat = bar * 4
            full = bar in CHORUS
            for at in (0, 2.5) if not full else (0, 1.5, 2, 3.5):
                if bar in INTRO and bar == 0 and at > 0:
                    continue
                self.kicks.append(frame(beat + at))
                place(kick, play.kick(), frame(beat + at), 1.0 if at in (0, 2) else 0.8)
            if bar != 0:
                for at in (1, 3):
                    place(snare, play.snare(self.random), frame(beat + at))
            for eighth in range(8):
                # A human is never quite on the grid: up to 4 ms late, softer off the beat.
                late = round(self.random.uniform(0, 0.004) * RATE)
                soft = (0.9 if eighth % 2 == 0 else 0.55) * self.random.uniform(0.85, 1)
                is_open = full and eighth == 7
                place(hats, play.hat(self.random, is_open), frame(beat + eighth / 2) + late, soft)
        # The fills that lead into verse, chorus and ending.
        for bar in (INTRO[-1], VERSE[-1], CHORUS[-1]):
            for step, pitch in enumerate((190, 150, 150, 110)):
                place(toms[min(step, 2)], play.tom(pitch), frame(bar * 4 + 3 + step / 4))
        for bar in (VERSE[0], CHORUS[0], CHORUS[4], ENDING[0]):
            place(ride, play.crash(self.random), frame(bar * 4))
        last = frame(ENDING[-1] * 4)
        place(kick, play.kick(), last)
        place(ride, play.crash(self.random), last, 1.2)
        self.add(kick, 0, -4, -40)
        self.add(snare, 0.05, -8, -12)
        self.add(hats, 0.35, -17, -24)
        self.add(ride, -0.4, -19, -14)
        for track, pan in zip(toms, (-0.5, 0, 0.5)):
            self.add(track, pan, -9, -16)

    def bass(self):
        track = np.zeros(FRAMES)
        for bar, chords in enumerate(HARMONY):
            beat = bar * 4
            for (root, _), beats in chords:
                if bar == ENDING[-1]:
                    pattern = [(0, 4, 0)]
                elif bar in CHORUS:
                    pattern = [(i / 2, 0.45, 12 if i % 4 == 3 else 0) for i in range(beats * 2)]
                else:
                    pattern = [(0, 1.4, 0), (1.5, 0.4, 0), (2.5, 0.9, 7), (3.5, 0.4, 12)]
                for at, length, up in pattern:
                    if at < beats:
                        note = play.bass(hertz(root - 12 + up), length * 0.6)
                        place(track, note, frame(beat + at))
                beat += beats
        self.add(filtered(track, high_pass(35)), 0, -9, -60)

    def chords(self):
        piano, guitar = np.zeros(FRAMES), np.zeros(FRAMES)
        pads = np.zeros((2, FRAMES))
        for bar, chords in enumerate(HARMONY):
            beat = bar * 4
            for (_, notes), beats in chords:
                strikes = (0,) if bar in ENDING else ((0, 1.5, 2.5) if beats == 4 else (0, 1.5))
                for at in strikes:
                    length = (4 if bar in ENDING else 1.2) * 0.6
                    for note in notes:
                        place(piano, play.electric_piano(hertz(note), length), frame(beat + at), 0.25)
                if bar not in INTRO[:1]:
                    order = (0, 2, 1, 3, 2, 3, 1, 2)
                    for step in range(0 if bar == ENDING[-1] else beats * 2):
                        pitch = hertz(notes[order[step]] + 12)
                        place(guitar, play.guitar(self.random, pitch, 0.5),
                              frame(beat + step / 2), 0.5 if step % 2 else 0.65)
                if bar == ENDING[-1]:
                    # The last chord is strummed, low to high.
                    for step, note in enumerate(notes + (notes[1] + 12,)):
                        place(guitar, play.guitar(self.random, hertz(note + 12), 3),
                              frame(beat) + step * RATE // 25, 0.6)
                if bar in CHORUS or bar in ENDING:
                    for side in range(2):
                        for note in notes:
                            place(pads[side],
                                  play.pad(self.random, hertz(note + 12 * side), beats * 0.6),
                                  frame(beat), 0.25)
                beat += beats
        t = np.arange(FRAMES) / RATE
        tremolo = 1 + 0.2 * np.sin(2 * np.pi * 100 / 60 * t)
        self.add(piano * tremolo, -0.55, -8, -12)
        self.add(guitar, 0.55, -7, -12)
        # Each kick of the drum makes the pads quieter for a moment.
        duck = np.ones(FRAMES)
        for at in self.kicks:
            dip = 1 - 0.45 * np.exp(-np.arange(RATE // 2) / (0.09 * RATE))
            end = min(FRAMES, at + len(dip))
            duck[at:end] = np.minimum(duck[at:end], dip[: end - at])
        for side, pan in enumerate((-0.85, 0.85)):
            self.add(filtered(pads[side], low_pass(2200)) * duck, pan, -17, -8)

    def lead(self):
        """The hook alone in front; under the voice's line it steps back, but stays to be followed."""
        track = np.zeros(FRAMES)
        beat = 0.0
        for note, beats in HOOK:
            if note is not None:
                place(track, play.lead(hertz(note), beats * 0.55), frame(beat), 1.25)
            beat += beats
        for note, beats, *_ in MELODY:
            if note is not None:
                place(track, play.lead(hertz(note), beats * 0.55), frame(beat), 0.62)
            beat += beats
        self.add(track, 0, -13, -12)
        # Dotted eighths, to and fro: the repeats leave the centre to the singer.
        echo = filtered(filtered(track, low_pass(2600)), high_pass(400))
        for repeat in range(1, 5):
            late = np.zeros(FRAMES)
            place(late, echo, frame(0.75 * repeat))
            self.add(late, 0.7 if repeat % 2 else -0.7, -18 - 5 * repeat, -12)

    def mixed(self):
        """Dry and reverb, then the master: compressed slowly and little, rounded at the top."""
        self.drums()
        self.bass()
        self.chords()
        self.lead()
        wet = np.stack([convolved(side, impulse_response(self.random, 1.7, 0.018, 5500))
                        for side in self.room])
        mix = self.dry + wet
        mix = np.stack([filtered(side, high_pass(28, 2)) for side in mix])
        # A shelf of +4 dB above 4 kHz, where cymbals and strings are.
        mix = np.stack([filtered(side, lambda f: (1 + 1.58j * f / 4000) / (1 + 1j * f / 4000))
                        for side in mix])
        level = np.sqrt(filtered(np.mean(mix**2, axis=0), low_pass(1.5)).clip(1e-9))
        reference = np.sqrt(np.mean(mix**2))
        mix *= np.maximum(level / reference, 0.35) ** -0.25
        # The verse is quieter, so that the chorus can rise above it.
        ride = [(0, -2), (VERSE[0], -2.5), (CHORUS[0] - 0.5, -2.5), (CHORUS[0], 0), (BARS, 0)]
        mix *= decibels(np.interp(np.arange(FRAMES), [frame(4 * bar) for bar, _ in ride],
                                  [value for _, value in ride]))
        return np.tanh(0.26 * mix / np.sqrt(np.mean(mix**2)))
