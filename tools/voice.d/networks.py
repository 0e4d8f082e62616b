"""The networks of VoiceContext.swift and VoiceNetwork.swift, in jax: how they learn, and how they are
written."""

import time

import jax
import jax.numpy as jnp
import numpy as np

import clips

VALUES, FRONT, MEMORY, FIRST, SECOND = 6, 64, 96, 32, 16
AHEAD = 7  # windows that the context has heard behind the one that it tells of
BATCH, LENGTH, WARM = 12, 192, 24  # clips, windows of each, and those that are heard and not judged
RATE = 2e-3
LEFT = 0.4  # how much what is left of the voice counts beside the ratio of signal to distortion


def layer(key, inputs, units, scale=1.0):
    return {"w": jax.random.normal(key, (inputs, units)) * scale / np.sqrt(inputs),
            "b": jnp.zeros(units)}


def begun(seed, inputs, figures):
    keys = iter(jax.random.split(jax.random.PRNGKey(seed), 12))
    weights = {
        "front": layer(next(keys), inputs, FRONT),
        "new1": layer(next(keys), FRONT, 3 * MEMORY), "old1": layer(next(keys), MEMORY, 3 * MEMORY),
        "new2": layer(next(keys), MEMORY, 3 * MEMORY), "old2": layer(next(keys), MEMORY, 3 * MEMORY),
        "out": layer(next(keys), FRONT + 2 * MEMORY, clips.BANDS * VALUES, 0.5),
        "first": layer(next(keys), figures, FIRST, 1.4), "told": layer(next(keys), VALUES, FIRST),
        "second": layer(next(keys), FIRST, SECOND, 1.4), "last": layer(next(keys), SECOND, 2, 0.5),
        "gate": layer(next(keys), VALUES, 2, 2.0),
    }
    weights["last"]["b"] = jnp.array([-0.5, -2.0])
    return weights


def values(weights, x):
    return x @ weights["w"] + weights["b"]


def remembered(new, old, x):
    """Gated recurrent units, over the first axis."""
    n = MEMORY

    def step(state, now):
        before = values(old, state)
        kept = jax.nn.sigmoid(now[:, :n] + before[:, :n])
        used = jax.nn.sigmoid(now[:, n:2 * n] + before[:, n:2 * n])
        candidate = jnp.tanh(now[:, 2 * n:] + used * before[:, 2 * n:])
        state = kept * state + (1 - kept) * candidate
        return state, state
    return jax.lax.scan(step, jnp.zeros((x.shape[1], n)), values(new, x))[1]


def context(w, bands):
    """Clips, windows, inputs -> clips, windows, bands, values."""
    heard = jnp.tanh(values(w["front"], jnp.swapaxes(bands, 0, 1)))
    near = remembered(w["new1"], w["old1"], heard)
    far = remembered(w["new2"], w["old2"], near)
    told = jnp.tanh(values(w["out"], jnp.concatenate([heard, near, far], -1)))
    return jnp.swapaxes(told, 0, 1).reshape(*bands.shape[:2], clips.BANDS, VALUES)


def masks(w, figures, told):
    x = jax.nn.relu(values(w["first"], figures) + values(w["told"], told))
    x = jax.nn.relu(values(w["second"], x))
    return jax.nn.sigmoid(values(w["last"], x) + told @ w["gate"]["w"])


def losses(w, spread, figures, products, bands, bins):
    """Of each clip: the logarithm of the distortion of the backing, and that of what is left of the
    voice; 0 where nobody sings."""
    figures = (figures.astype(jnp.float32) - spread["figures"][0]) / spread["figures"][1]
    bands = (bands.astype(jnp.float32) - spread["bands"][0]) / spread["bands"][1]
    count = figures.shape[1] - AHEAD
    told, bins = context(w, bands)[:, AHEAD:], bins[:, :count]
    below, part = jnp.asarray(clips.BELOW)[bins], jnp.asarray(clips.PART)[bins][..., None]
    low = jnp.take_along_axis(told, below[..., None], axis=2)
    high = jnp.take_along_axis(told, below[..., None] + 1, axis=2)
    m, n = jnp.moveaxis(masks(w, figures[:, :count], low * (1 - part) + high * part), -1, 0)
    m, n = m[:, WARM:], n[:, WARM:]
    bb, vv, bv, bbs, vvs, bvs = jnp.moveaxis(products[:, WARM:count], -1, 0)
    wrong = (m**2 * bb + (1 - m) ** 2 * vv - 2 * m * (1 - m) * bv
             + n**2 * bbs + (1 - n) ** 2 * vvs - 2 * n * (1 - n) * bvs).sum((1, 2))
    band, voice = (bb + bbs).sum((1, 2)) + 1e-6, vv.sum((1, 2))
    left = ((1 - m) ** 2 * vv).sum((1, 2)) / (voice + 1e-6)
    sings = voice > 0.003 * band
    return (jnp.log(3e-3 + jnp.maximum(wrong, 0) / band), jnp.where(sings, jnp.log(0.02 + left), 0),
            sings)


@jax.jit
def moved(w, means, squares, slopes, step, rate):
    """A step of Adam (Kingma and Ba, ICLR 2015), of slopes of a length of 1 at most."""
    length = jnp.sqrt(sum((x**2).sum() for x in jax.tree.leaves(slopes)))
    slopes = jax.tree.map(lambda x: x * jnp.minimum(1, 1 / (length + 1e-9)), slopes)
    means = jax.tree.map(lambda x, y: x + 0.1 * (y - x), means, slopes)
    squares = jax.tree.map(lambda x, y: x + 0.002 * (y * y - x), squares, slopes)
    w = jax.tree.map(
        lambda x, a, b: x - rate * a / (1 - 0.9**step) / (jnp.sqrt(b / (1 - 0.998**step)) + 1e-8),
        w, means, squares)
    return w, means, squares


def learned(data, steps, seed=0):
    """The weights, and the mean and spread of what they are for. `data`: the arrays of clips.clip, of
    all clips. One in 20 is kept back, to show whether what is learned holds for others."""
    figures, products, bands, bins = data
    kept = max(BATCH, len(figures) // 20)

    def measured(x):
        x = np.asarray(x, "f4").reshape(-1, x.shape[-1])
        return x.mean(0), x.std(0) + 1e-3
    few = np.linspace(kept, len(figures) - 1, 100).astype(int)
    spread = {"figures": measured(np.stack([figures[n, 40::20] for n in few])),
              "bands": measured(np.stack([bands[n, 40::5] for n in few]))}
    w = begun(seed, bands.shape[-1], figures.shape[-1])
    means, squares = (jax.tree.map(jnp.zeros_like, w) for _ in range(2))

    def loss(w, *clip):
        wrong, left, _ = losses(w, spread, *clip)
        return wrong.mean() + LEFT * left.mean()
    slopes_of, judge = jax.jit(jax.grad(loss)), jax.jit(lambda w, *clip: losses(w, spread, *clip))
    numbers, begin = np.random.default_rng(seed), time.time()
    for step in range(1, steps + 1):
        chosen = numbers.integers(kept, len(figures), BATCH)
        starts = numbers.integers(0, figures.shape[1] - LENGTH + 1, BATCH)
        batch = [np.stack([x[n, start:start + LENGTH] for n, start in zip(chosen, starts)])
                 for x in data]
        rate = RATE * min(1, step / 200) * 0.5 * (1 + np.cos(np.pi * step / steps)) + 1e-6
        w, means, squares = moved(w, means, squares, slopes_of(w, *batch), step, rate)
        if step % 500 == 0 or step == steps:
            found = [judge(w, *(np.asarray(x[n:n + BATCH]) for x in data))
                     for n in range(0, kept, BATCH)]
            wrong, left, sings = (np.concatenate([np.asarray(x[n]) for x in found]) for n in range(3))
            wrong, left = -10 / np.log(10) * wrong, 10 / np.log(10) * left
            print(f"{step} of {steps}: {wrong[sings].mean():.2f} dB where somebody sings, voice "
                  f"{left[sings].mean():.1f} dB; {wrong[~sings].mean():.1f} dB where nobody does; "
                  f"{time.time() - begin:.0f} s", flush=True)
    return jax.tree.map(np.asarray, w), spread


def numbers_of(w, spread):
    """All weights in the order in which the program reads them, for figures as they are."""
    def given(weights, of):
        centre, size = spread[of]
        return {"w": weights["w"] / size[:, None], "b": weights["b"] - (centre / size) @ weights["w"]}
    found = []
    for weights in (given(w["front"], "bands"), w["new1"], w["old1"], w["new2"], w["old2"], w["out"]):
        found += [weights["b"], weights["w"].ravel()]
    first = given(w["first"], "figures")
    for bias, *inputs in (
            (first["b"] + w["told"]["b"], first["w"], w["told"]["w"]),
            (w["second"]["b"], w["second"]["w"]), (w["last"]["b"], w["last"]["w"], w["gate"]["w"])):
        found += [np.concatenate([bias[None], *inputs]).T.ravel()]
    return np.concatenate(found).astype("f2")


# MARK: What the tests compare

def probe(count):
    """Some sound that Swift makes as well: two tones, one that sways, and noise on one side."""
    t = np.arange(count) / clips.RATE
    sway = 0.2 * np.sin(2 * np.pi * 330 * t + 4 * np.sin(2 * np.pi * 5 * t))
    held = 0.1 * np.sin(2 * np.pi * 440 * t) + 0.1 * np.sin(2 * np.pi * 1320 * t)
    noise, state = np.empty(count), 1
    for n in range(count):
        state = (1664525 * state + 1013904223) % 2**32
        noise[n] = 0.05 * (state / 2**31 - 1)
    return np.stack([sway * (np.sin(2 * np.pi * 0.4 * t) > 0) + held, sway + 0.5 * held + noise])


def levels(w, spread, sound):
    """The level of what is found of a voice in each block of 8192 samples of the left side, in dB."""
    root, count = np.sqrt(0.5), sound.shape[1]
    # The program's first window has a quarter of the sound.
    sound = np.pad(sound, ((0, 0), (clips.HOP, 0)))
    m = clips.spectrum(root * (sound[0] + sound[1]))
    s = clips.spectrum(root * (sound[0] - sound[1]))
    figures = clips.figures(m, s)
    centre, size = spread["bands"]
    told = np.asarray(context(w, ((clips.context(figures) - centre) / size)[None]))[0]
    told = np.concatenate([told[AHEAD:], np.repeat(told[-1:], AHEAD, 0)])
    spectrum = np.zeros((len(m), clips.SIZE // 2 + 1), complex)
    for n in range(len(m)):
        low, high = told[n][clips.BELOW], told[n][clips.BELOW + 1]
        own = (figures[n] - spread["figures"][0]) / spread["figures"][1]
        found = np.asarray(masks(w, own, low + clips.PART[:, None] * (high - low)))
        spectrum[n, clips.FIRST:clips.END] = root * (found[:, 0] * m[n] + found[:, 1] * s[n])
    windows = np.fft.irfft(spectrum, axis=1) * np.sin(np.pi * (np.arange(clips.SIZE) + 0.5) / clips.SIZE)
    voice = np.zeros(clips.SIZE + clips.HOP * len(m))
    for n, window in enumerate(windows):
        voice[n * clips.HOP:n * clips.HOP + clips.SIZE] += window / 2
    voice = voice[clips.SIZE // 2 + clips.HOP:][:count]
    blocks = voice[:len(voice) // 8192 * 8192].reshape(-1, 8192)
    return 10 * np.log10(np.mean(blocks**2, axis=1) + 1e-12)
