#include "reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cage.h"

// Formats that hold audio and open no other files. The names are FFmpeg's.
static const char formats[] =
    "aac,ac3,aiff,amr,amrnb,amrwb,ape,asf,au,avi,caf,dsf,dts,dtshd,eac3,flac,flv,iff,loas,m4a,"
    "matroska,mlp,mov,mp3,mp4,mpc,mpc8,mpeg,mpegts,ogg,oma,rm,shn,tak,truehd,tta,voc,w64,wav,"
    "webm,wsd,wv,xwma";
static const char codecs[] =
    "8svx_exp,8svx_fib,aac,aac_latm,ac3,adpcm_ima_qt,adpcm_ima_wav,adpcm_ms,adpcm_swf,"
    "adpcm_yamaha,alac,als,amrnb,amrwb,ape,atrac1,atrac3,atrac3al,atrac3plus,atrac3plusal,atrac9,"
    "cook,dca,dsd_lsbf,dsd_lsbf_planar,dsd_msbf,dsd_msbf_planar,dst,eac3,flac,g726,gsm,gsm_ms,"
    "mace3,mace6,mlp,mp1,mp2,mp3adufloat,mp3float,mp3on4float,mpc7,mpc8,nellymoser,opus,pcm_alaw,"
    "pcm_bluray,pcm_dvd,pcm_f32be,pcm_f32le,pcm_f64be,pcm_f64le,pcm_lxf,pcm_mulaw,pcm_s16be,"
    "pcm_s16be_planar,pcm_s16le,pcm_s16le_planar,pcm_s24be,pcm_s24le,pcm_s24le_planar,pcm_s32be,"
    "pcm_s32le,pcm_s32le_planar,pcm_s8,pcm_s8_planar,pcm_u16be,pcm_u16le,pcm_u24be,pcm_u24le,"
    "pcm_u32be,pcm_u32le,pcm_u8,qdm2,qdmc,ralf,real_144,real_288,shorten,sipr,speex,tak,truehd,"
    "truespeech,tta,vorbis,wavpack,wmalossless,wmapro,wmav1,wmav2,wmavoice";
// Most bytes that FFmpeg reads to find out what a song is.
static const int64_t most_probed = 1 << 20;
// Bytes that are asked for at once: of a live stream few, since duet answers when it has them all, and tells a
// title with the bytes that are asked for when it comes: at 64 kbit/s no more than 0.13 s early.
enum { READ_AT_ONCE = 1 << 15, READ_AT_ONCE_LIVE = 1 << 10 };
// Most bytes that FFmpeg may allocate in one piece.
enum { MOST_ALLOCATED = 128 << 20 };

// MARK: Errors

// The newest error of FFmpeg's log.
static char logged[256];

static void keep(void *context, int level, const char *format, va_list arguments) {
    if (level > AV_LOG_ERROR) return;
    int prefixed = 0;
    av_log_format_line2(context, level, format, arguments, logged, sizeof logged, &prefixed);
    // Without the name and address of what complains, and the line's end.
    const char *text = *logged == '[' ? strstr(logged, "] ") : NULL;
    if (text) memmove(logged, text + 2, strlen(text + 2) + 1);
    logged[strcspn(logged, "\n")] = 0;
}

void reader_keep_log(void) {
    av_log_set_level(AV_LOG_ERROR);
    av_log_set_callback(keep);
}

_Noreturn void fail_with(const char *text) {
    wire_send(WIRE_ERROR, text, strlen(text));
    _Exit(0);
}

_Noreturn void fail(int error) {
    char word[AV_ERROR_MAX_STRING_SIZE], text[sizeof word + sizeof logged + 20];
    // As "Codec (speex) not on whitelist" and the list.
    char *list = strstr(logged, " not on whitelist");
    if (list) {
        snprintf(text, sizeof text, "%.*s is not supported", (int)(list - logged), logged);
        fail_with(text);
    }
    av_strerror(error, word, sizeof word);
    snprintf(text, sizeof text, *logged ? "%s (%s)" : "%s", word, logged);
    fail_with(text);
}

// MARK: Bytes

static int read_bytes(void *context, uint8_t *bytes, int size) {
    struct source *source = context;
    int most = source->facts.is_seekable ? READ_AT_ONCE : READ_AT_ONCE_LIVE;
    struct wire_range range = {source->position, (uint32_t)(size < most ? size : most), 0};
    wire_send(WIRE_READ, &range, sizeof range);
    uint32_t count;
    if (wire_next(&count) != WIRE_BYTES || count > range.count) _Exit(2);
    if (count == 0) return AVERROR_EOF;
    wire_receive(bytes, count);
    source->position += count;
    if (source->position > source->farthest) {
        source->farthest = source->position;
        cage_renew();
    }
    return (int)count;
}

static int64_t seek_bytes(void *context, int64_t offset, int whence) {
    struct source *source = context;
    int64_t size = source->facts.size;
    switch (whence & ~AVSEEK_FORCE) {
    case AVSEEK_SIZE: return size >= 0 ? size : AVERROR(ENOSYS);
    case SEEK_SET: break;
    case SEEK_CUR: offset += source->position; break;
    case SEEK_END:
        if (size < 0) return AVERROR(ENOSYS);
        offset += size;
        break;
    default: return AVERROR(EINVAL);
    }
    if (offset < 0 || offset > INT64_MAX / 2) return AVERROR(EINVAL);
    return source->position = offset;
}

// The song holds the name of another file: that is not opened.
static int refuse(AVFormatContext *format, AVIOContext **bytes, const char *url, int flags,
                  AVDictionary **options) {
    (void)format, (void)bytes, (void)url, (void)flags, (void)options;
    return AVERROR(EPERM);
}

// MARK: Opening

static void *unless_null(void *memory) {
    if (!memory) fail(AVERROR(ENOMEM));
    return memory;
}

AVFormatContext *reader_open(struct source *source) {
    av_max_alloc(MOST_ALLOCATED);
    source->position = source->farthest = 0;
    int size = source->facts.is_seekable ? READ_AT_ONCE : READ_AT_ONCE_LIVE;
    uint8_t *buffer = unless_null(av_malloc((size_t)size));
    AVFormatContext *format = unless_null(avformat_alloc_context());
    format->pb = unless_null(avio_alloc_context(buffer, size, 0, source, read_bytes, NULL,
                                                source->facts.is_seekable ? seek_bytes : NULL));
    format->io_open = refuse;
    format->format_whitelist = unless_null(av_strdup(formats));
    format->codec_whitelist = unless_null(av_strdup(codecs));
    format->protocol_whitelist = unless_null(av_strdup(""));
    format->probesize = most_probed;
    AVDictionary *options = NULL;
    // Of edit lists only the first edit's beginning: with them all FFmpeg would count the song's length
    // in milliseconds, as they do.
    av_dict_set(&options, "advanced_editlist", "0", 0);
    int error = avformat_open_input(&format, NULL, NULL, &options);
    av_dict_free(&options);
    if (error < 0) fail(error);
    // FFmpeg takes anything for something: programs and texts are no songs.
    if (source->facts.is_seekable && format->probe_score <= AVPROBE_SCORE_RETRY)
        fail(AVERROR_INVALIDDATA);
    return format;
}

void reader_close(AVFormatContext **format) {
    AVIOContext *bytes = (*format)->pb;
    avformat_close_input(format);
    av_freep(&bytes->buffer);
    avio_context_free(&bytes);
}

int reader_choose(AVFormatContext *format, int64_t wanted) {
    // What FFmpeg finds out about pictures takes time.
    for (unsigned i = 0; i < format->nb_streams; i++) {
        if (format->streams[i]->codecpar->codec_type != AVMEDIA_TYPE_AUDIO)
            format->streams[i]->discard = AVDISCARD_ALL;
    }
    int error = avformat_find_stream_info(format, NULL);
    if (error < 0) fail(error);
    int stream = wanted > INT_MAX
                     ? AVERROR_STREAM_NOT_FOUND
                     : av_find_best_stream(format, AVMEDIA_TYPE_AUDIO, (int)wanted, -1, NULL, 0);
    if (stream == AVERROR_STREAM_NOT_FOUND) fail_with("there is no audio in it");
    if (stream < 0) fail(stream);
    for (unsigned i = 0; i < format->nb_streams; i++) {
        if ((int)i != stream) format->streams[i]->discard = AVDISCARD_ALL;
    }
    return stream;
}

AVCodecContext *reader_open_decoder(const AVStream *stream) {
    const AVCodec *codec = avcodec_find_decoder(stream->codecpar->codec_id);
    if (!codec) fail(AVERROR_DECODER_NOT_FOUND);
    AVCodecContext *context = unless_null(avcodec_alloc_context3(codec));
    int error = avcodec_parameters_to_context(context, stream->codecpar);
    if (error < 0) fail(error);
    context->pkt_timebase = stream->time_base;
    context->codec_whitelist = unless_null(av_strdup(codecs));
    context->thread_count = 1;
    error = avcodec_open2(context, codec, NULL);
    if (error < 0) fail(error);
    return context;
}
