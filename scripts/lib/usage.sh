# Sourced by the scripts, which have gone to the project's folder.

# Prints what the script that runs says of itself in its first comment.
usage() {
    local file
    for file in {scripts,tools}/"${0##*/}"; do
        if [[ -e $file ]]; then sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$file"; fi
    done
}
