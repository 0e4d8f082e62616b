// Only names where pkg-config finds FFmpeg.
