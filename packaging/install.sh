#!/bin/sh
# Installs duet from this folder, or removes it.
#
# usage: install.sh [--prefix DIR] [--uninstall]
#
# --prefix DIR  where bin and share are (default: /usr/local for root, else ~/.local)
# --uninstall   removes what install.sh has put there; your own files stay
set -eu
here=$(cd "$(dirname "$0")" && pwd)
uninstalls=
if [ "$(id -u)" = 0 ]; then prefix=/usr/local; else prefix=$HOME/.local; fi
while [ $# -gt 0 ]; do
    case $1 in
    --prefix)
        if [ $# -lt 2 ]; then
            echo "install.sh: --prefix needs a folder" >&2
            exit 64
        fi
        prefix=$2
        shift
        ;;
    --prefix=*) prefix=${1#--prefix=} ;;
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
case $prefix in
/*) ;;
'')
    echo "install.sh: --prefix needs a folder" >&2
    exit 64
    ;;
*) prefix=$PWD/$prefix ;;
esac

# The files that an earlier run has put below the prefix, a line each.
list=$prefix/share/doc/duet/installed
# Whether $1 is one of them.
is_ours() { [ -e "$list" ] && grep -Fxq -- "$1" "$list"; }

# Removes a file below the prefix, and the folders that are empty then.
remove() {
    rm -f -- "$prefix/$1"
    folder=$(dirname "$1")
    while [ "$folder" != . ] && rmdir -- "$prefix/$folder" 2>/dev/null; do
        folder=$(dirname "$folder")
    done
}

# Removes the files of the list that the new version ($1) has not.
remove_old() {
    [ -e "$list" ] || return 0
    while IFS= read -r file; do
        # Only what an installer can have written: below bin and share, and nowhere else.
        case $file in
        */../* | /* | '') continue ;;
        bin/* | share/*) ;;
        *) continue ;;
        esac
        if [ -n "$1" ] && [ -e "$1/$file" ]; then continue; fi
        remove "$file"
    done <"$list"
}

if [ -n "$uninstalls" ]; then
    if [ ! -e "$list" ]; then
        echo "install.sh: no duet in $prefix that install.sh has installed; --prefix names another folder" >&2
        exit 1
    fi
    remove_old ''
    remove share/doc/duet/installed
    echo "duet is removed from $prefix. Your settings are still in ~/.config/duet and ~/.local/state/duet."
    exit
fi

files=$(cd "$here" && find bin share -type f | sort)
# Nothing that is not duet's is overwritten.
echo "$files" | while IFS= read -r file; do
    if [ -e "$prefix/$file" ] && ! is_ours "$file"; then
        echo "install.sh: $prefix/$file is there, and was not installed by install.sh; nothing was changed" >&2
        exit 1
    fi
done
# The list is there before the files are, so that --uninstall also undoes an installation that broke off.
remove_old "$here"
mkdir -p -- "$prefix/share/doc/duet"
{
    if [ -e "$list" ]; then cat "$list"; fi
    echo "$files"
} | sort -u >"$list.new"
mv -- "$list.new" "$list"
echo "$files" | while IFS= read -r file; do
    mkdir -p -- "$(dirname "$prefix/$file")"
    # Beside the old one and renamed: a duet that runs goes on.
    cp -- "$here/$file" "$prefix/$file.new"
    mv -- "$prefix/$file.new" "$prefix/$file"
done
echo "$files" >"$list.new"
mv -- "$list.new" "$list"

if ! version=$("$prefix/bin/duet" --version 2>/dev/null); then
    echo "duet is in $prefix/bin, and cannot start: libraries are missing." >&2
    ldd "$prefix/bin/duet" 2>/dev/null | sed -n 's/^[[:space:]]*\(.*\) => not found/    \1/p' >&2
    echo "On Debian and Ubuntu they are in: $(cat "$here/share/doc/duet/depends")" >&2
    exit 1
fi
echo "$version is installed in $prefix/bin."
case :$PATH: in
*:"$prefix/bin":*) ;;
*) echo "Add it to your PATH: export PATH=\"$prefix/bin:\$PATH\"" ;;
esac
