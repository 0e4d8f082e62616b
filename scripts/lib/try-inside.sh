# Run by scripts/try-package in an empty Debian: tries the package /root/duet.deb.
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive
source "$(dirname "${BASH_SOURCE[0]}")/packages.sh"

fail() {
    echo "try-package: $*" >&2
    exit 1
}
# Runs a command whose exit code and output must be these: expect CODE PATTERN COMMAND...
expect() {
    local code=$1 pattern=$2 given=0 output
    shift 2
    output=$("$@" 2>&1 </dev/null) || given=$?
    if ((given != code)) || ! grep -Eq -- "$pattern" <<<"$output"; then
        fail "expected $code and /$pattern/ of '$*', got $given: $output"
    fi
    # The command without what comes before duet's name.
    echo "    $(sed 's/.*[ /]\(duet\|man\|bash\|fish\|archive\|dpkg\)/\1/' <<<" ${*:1:12}" | head -1): $code, $(grep -E -m 1 -- "$pattern" <<<"$output" | cut -c1-150)"
}
as_singer=(setpriv --reuid=singer --regid=singer --init-groups env HOME=/home/singer)
# Installs packages without what they recommend, and says how long it took.
add() {
    local begun now
    begun=$(date +%s%N)
    apt-get install -q -y --no-install-recommends "$@" >/tmp/apt.log 2>&1 || fail "$(cat /tmp/apt.log)"
    now=$(date +%s%N)
    printf '    %s: %d.%d s, %s\n' "$*" $(((now - begun) / 1000000000)) $(((now - begun) / 100000000 % 10)) \
        "$(grep -E '^Need to get|^After this' /tmp/apt.log | tr '\n' ' ')"
}

again apt-get update -q >/tmp/apt.log 2>&1 || fail "$(cat /tmp/apt.log)"
useradd --create-home singer
find / -xdev -iname '*duet*' -not -path '/root/*' -not -path '/proc/*' | sort >/root/before

echo "duet without a server"
add /root/duet.deb
expect 0 '^duet [0-9]' duet --version
expect 69 "run 'apt install jackd2'" duet demo
expect 69 "run 'sudo apt install jackd2'" "${as_singer[@]}" duet demo
expect 1 "run 'apt install jackd2'" duet doctor

echo "songs that FFmpeg reads"
# Without what duet recommends, the error says what to install. With it, they play.
expect 66 'sudo apt install ffmpeg' duet render /root/song.m4a -o /tmp/song.wav
formats=$(dpkg-query -W -f '${Recommends}' duet | tr ',' '\n' | grep libavformat)
for format in ${formats//|/ }; do
    if [[ $(apt-cache policy "$format") == *"Candidate: "[0-9]* ]]; then break; fi
done
add "$format"
for song in song.m4a song.aac song.wma song.mka; do
    expect 0 'wrote (0\.9|1\.0)' duet render "/root/$song" -o "/tmp/$song.wav"
done
# FFmpeg's libraries go: one of them has a folder in /usr/local.
apt-get purge -q -y --autoremove "$format" >/tmp/apt.log 2>&1 || fail "$(cat /tmp/apt.log)"

if [[ -n $FULL ]]; then
    echo "duet with PipeWire"
    # The daemon without its JACK library, then the library, then no daemon.
    add pipewire wireplumber dbus
    mkdir -p /tmp/run && chown singer /tmp/run && chmod 700 /tmp/run
    piped=("${as_singer[@]}" env XDG_RUNTIME_DIR=/tmp/run)
    "${piped[@]}" dbus-run-session sh -c 'wireplumber & exec pipewire' >/tmp/pipewire.log 2>&1 &
    pipewire=$!
    for ((tries = 0; tries < 300; tries++)); do
        if [[ -e /tmp/run/pipewire-0 ]]; then break; fi
        sleep 0.1
    done
    expect 69 'pipewire-jack' "${piped[@]}" duet demo
    add pipewire-jack
    expect 0 '"event":"ended"' "${piped[@]}" duet demo --no-start-server --json
    # The session bus ends with PipeWire, and wireplumber without either.
    kill "$pipewire"
    wait "$pipewire" || true
    rm -f /tmp/run/pipewire-0*
    expect 69 'PipeWire is not running' "${piped[@]}" duet demo
fi

echo "duet with jackd"
add jackd2
expect 0 '"event":"ended"' duet demo --json
expect 0 '"event":"ended"' "${as_singer[@]}" duet demo --json

echo "what came with it"
add man-db bash-completion
expect 0 'sing along' man duet
expect 0 'duet\.conf' man duet.conf
[[ -s /usr/share/applications/duet.desktop && -s /usr/share/icons/hicolor/scalable/apps/duet.svg ]] \
    || fail "no menu entry"
expect 0 '^--mic-preset' bash -ic '
    source /usr/share/bash-completion/bash_completion
    source /usr/share/bash-completion/completions/duet
    COMP_WORDS=(duet sing --mic-pre) COMP_CWORD=2 COMP_LINE="duet sing --mic-pre" COMP_POINT=19
    $(complete -p duet | sed "s/.*-F \([^ ]*\).*/\1/") duet --mic-pre sing
    printf "%s\n" "${COMPREPLY[@]}"'

if [[ -n $FULL ]]; then
    add fish
    expect 0 '^--mic-preset' fish -c 'complete -C "duet sing --mic-pre"'
fi

echo "upgrade and purge"
"${as_singer[@]}" sh -c 'mkdir -p ~/.config/duet ~/.local/state/duet/presets
    echo mic-preset=plate >~/.config/duet/duet.conf; echo kept >~/.local/state/duet/presets/mine'
find /home/singer -type f -exec md5sum {} + | sort >/root/kept
add /root/later.deb
expect 0 'later' dpkg-query -W duet
apt-get purge -q -y duet >/tmp/apt.log 2>&1 || fail "$(cat /tmp/apt.log)"
find /home/singer -type f -exec md5sum {} + | sort | diff /root/kept - \
    || fail "an upgrade or the purge has changed the user's own files"
find / -xdev -iname '*duet*' -not -path '/root/*' -not -path '/proc/*' -not -path '/home/*' \
    -not -path '/var/cache/man/*' | sort \
    | diff /root/before - || fail "the purge leaves files"
echo "    the user's files are as they were, and nothing else is left"

echo "the archive"
# As a user, who installs into ~/.local: its libraries are those that the package has brought.
archive() { (umask 077 && "${as_singer[@]}" /root/archive/install.sh "$@"); }
chmod 755 /root
"${as_singer[@]}" mkdir -p /home/singer/.local/bin
"${as_singer[@]}" ln -s /nowhere /home/singer/.local/bin/duet
find /home/singer | sort >/root/before
expect 1 'nothing was changed' archive
find /home/singer | sort | diff /root/before - || fail "a refused installation has changed something"
"${as_singer[@]}" rm /home/singer/.local/bin/duet
find /home/singer | sort >/root/before
expect 0 'is installed in /home/singer/.local/bin' archive
expect 0 'is installed' archive
expect 0 '^duet [0-9]' "${as_singer[@]}" /home/singer/.local/bin/duet --version
expect 0 'is removed' archive --uninstall
find /home/singer | sort | diff /root/before - || fail "--uninstall does not put back what was"
# As root, whose /usr/local others share. The libraries are missing now.
find /usr/local | sort >/root/before
apt-get autoremove --purge -q -y >/dev/null 2>&1
expect 1 'apt install .*libjack-jackd2-0' /root/archive/install.sh
find /usr/local -newer /root/before ! -perm -o=r | grep . && fail "only root can read what is installed"
expect 0 'is removed' /root/archive/install.sh --uninstall
find /usr/local | sort | diff /root/before - || fail "--uninstall does not put back what was"
echo "    nothing is left of it"
