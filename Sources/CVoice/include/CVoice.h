#ifndef CVOICE_H
#define CVOICE_H

#include <stddef.h>
#include <stdint.h>

/// What the networks that find a voice know: 16-bit floats, in the order in which VoiceWeights reads them.
/// Made by tools/train-voice. They stand in C, which compiles them at once.
const uint16_t *cvoice_weights(void);
ptrdiff_t cvoice_weight_count(void);

#endif
