#!/bin/sh
# Installs duet from this folder, or removes it.
#
# usage: install.sh [--prefix DIR] [--uninstall]
#
# --prefix DIR  where bin, libexec and share are (default: /usr/local for root, else ~/.local)
# --uninstall   removes what install.sh has put there; your settings stay
set -eu
unset CDPATH
umask 022
here=$(cd -- "$(dirname -- "$0")" && pwd)

refuse() {
    echo "install.sh: $*" >&2
    exit 1
}

prefix='' uninstalls=''
while [ $# -gt 0 ]; do
    case $1 in
    --prefix)
        prefix=${2-}
        [ -n "$prefix" ] || { echo "install.sh: --prefix needs a folder" >&2; exit 64; }
        shift
        ;;
    --prefix=?*) prefix=${1#--prefix=} ;;
    --uninstall) uninstalls=1 ;;
    -h | --help)
        sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0"
        exit
        ;;
    *)
        echo "install.sh: unknown argument '$1'; --help lists them all" >&2
        exit 64
        ;;
    esac
    shift
done
if [ -z "$prefix" ]; then
    if [ "$(id -u)" = 0 ]; then
        prefix=/usr/local
    else
        prefix=${HOME:?"is not set; name a folder with --prefix"}/.local
    fi
fi
case $prefix in
/*) ;;
'~'*) refuse "write the whole name of the folder instead of '$prefix'" ;;
*) prefix=$PWD/$prefix ;;
esac

# What an earlier run has put below the prefix, a line each. Folders end with a slash.
list=$prefix/share/doc/duet/installed
is_ours() { [ -e "$list" ] && grep -Fxq -- "$1" "$list"; }

# Removes what is in the list, but not what the new version in the folder $1 has, too.
remove_old() {
    [ -e "$list" ] || return 0
    # Folders come after their contents.
    sort -r "$list" | while IFS= read -r name; do
        case $name in
        *../* | /*) continue ;;
        bin/* | libexec/* | share/*) ;;
        *) continue ;;
        esac
        if [ -n "$1" ] && [ -e "$1/$name" ]; then continue; fi
        case $name in
        */) rmdir -- "$prefix/$name" 2>/dev/null || true ;;
        # Also what an installation that was killed has left beside it.
        *) rm -f -- "$prefix/$name" "$(dirname -- "$prefix/$name")"/.duet.?????? ;;
        esac
    done
}

if [ -n "$uninstalls" ]; then
    [ -e "$list" ] \
        || refuse "there is no duet in $prefix that install.sh has installed; --prefix names another folder"
    [ -w "$(dirname -- "$list")" ] || refuse "you may not write to $prefix; use sudo"
    # The list itself and its folders go last.
    rest=$(sort -r "$list" | grep '/$') || rest=
    remove_old ''
    rm -f -- "$list"
    printf '%s\n' "$rest" | while IFS= read -r name; do
        case $name in bin/* | libexec/* | share/*) rmdir -- "$prefix/$name" 2>/dev/null || true ;; esac
    done
    echo "duet is removed from $prefix. Your settings are still in ~/.config/duet and ~/.local/state/duet."
    exit
fi

files=$(cd -- "$here" && find bin libexec share -type f | sort)
# duet-ffmpeg for another FFmpeg than those of Debian is built here, where that can be.
helper=libexec/duet/duet-ffmpeg
libraries='libavformat libavcodec libavutil libswresample'
has_library() { PATH="$PATH:/sbin" ldconfig -p 2>/dev/null | grep -q "libavformat\\.so\\.$1 "; }
headers='libavformat-dev libavcodec-dev libavutil-dev libswresample-dev'
fits=''
for file in "$here/$helper"-*; do
    if has_library "${file##*-}"; then fits=1; fi
done
built=''
if [ -z "$fits" ] && command -v cc >/dev/null && pkg-config --exists $libraries 2>/dev/null; then
    built=$(mktemp)
    trap 'rm -f -- "$built"' EXIT
    if cc -O2 "$here"/share/duet/ffmpeg/*.c -o "$built" $(pkg-config --cflags --libs $libraries) 2>/dev/null; then
        files=$(printf '%s\n' "$files" "$helper")
        fits=1
    else
        rm -f -- "$built"
        built=''
    fi
fi
printf '%s\n' "$files" | while IFS= read -r file; do
    if { [ -e "$prefix/$file" ] || [ -L "$prefix/$file" ]; } && ! is_ours "$file"; then
        refuse "$prefix/$file is there, and install.sh has not installed it; nothing was changed"
    fi
done
# Folders that are not there yet, or that an earlier run has made.
folders=$(cd -- "$here" && find bin libexec share -type d | while IFS= read -r folder; do
    if [ ! -d "$prefix/$folder" ] || is_ours "$folder/"; then printf '%s/\n' "$folder"; fi
done)
mkdir -p -- "$prefix/share/doc" 2>/dev/null && [ -w "$prefix/share/doc" ] \
    || refuse "you may not write to $prefix; use sudo, or name another folder with --prefix"
remove_old "$here"

# Beside the old file and renamed, so that a duet that runs goes on, and a killed installer leaves no half.
put() {
    temporary=$(mktemp "$(dirname -- "$2")/.duet.XXXXXX")
    trap 'rm -f -- "$temporary"' EXIT
    trap 'exit 130' HUP INT TERM
    cat -- "$1" >"$temporary"
    chmod "$3" "$temporary"
    mv -f -- "$temporary" "$2"
}
# The list is there before the files are, so that --uninstall also undoes an installation that broke off.
mkdir -p -- "$prefix/share/doc/duet"
printf '%s\n' "$files" "$folders" | sed '/^$/d' >"$list"
printf '%s\n' "$files" | while IFS= read -r file; do
    mkdir -p -- "$(dirname -- "$prefix/$file")"
    case $file in
    "$helper") put "$built" "$prefix/$file" 755 ;;
    bin/* | libexec/*) put "$here/$file" "$prefix/$file" 755 ;;
    *) put "$here/$file" "$prefix/$file" 644 ;;
    esac
done

if ! answer=$("$prefix/bin/duet" --version 2>&1); then
    echo "duet is in $prefix/bin, but cannot start: $answer" >&2
    missing=$(ldd "$prefix/bin/duet" 2>/dev/null | sed -n 's/^[[:space:]]*\(.*\) => not found/\1/p')
    if [ -n "$missing" ]; then
        echo "These libraries are missing:" $missing >&2
        if command -v apt >/dev/null; then
            echo "To install them: sudo apt install $(cat -- "$here/share/doc/duet/libraries")" >&2
        fi
    fi
    exit 1
fi
# duet loads it when a song from the web needs it.
if ! PATH="$PATH:/sbin" ldconfig -p 2>/dev/null | grep -q 'libcurl\.so\.4 '; then
    echo "libcurl.so.4 is missing: without it duet plays no songs from the web." >&2
    if command -v apt >/dev/null; then echo "To install it: sudo apt install libcurl4" >&2; fi
fi
if [ -z "$fits" ] && has_library '[0-9]*'; then
    echo "This system's FFmpeg is a version that duet brings no duet-ffmpeg for: it plays no M4A, AAC, WMA or APE yet." >&2
    if command -v apt >/dev/null; then
        echo "To have one built: sudo apt install gcc pkg-config $headers" >&2
    else
        echo "To have one built, install FFmpeg's headers, a C compiler and pkg-config." >&2
    fi
    echo "Then run install.sh again." >&2
elif [ -z "$fits" ]; then
    echo "FFmpeg's libraries are missing: without them duet plays no M4A, AAC, WMA or APE." >&2
    if command -v apt >/dev/null; then echo "To install them: sudo apt install ffmpeg" >&2; fi
    echo "Then run install.sh again." >&2
fi
echo "$answer is installed in $prefix/bin. Keep this folder for --uninstall."
case :$PATH: in
*:"$prefix/bin":*) ;;
*) echo "Log in again, or add it to your PATH: export PATH=\"$prefix/bin:\$PATH\"" ;;
esac
