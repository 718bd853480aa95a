# SPDX-License-Identifier: BSD-3-Clause
# Completion for fish: pteris itself tells what may follow ("pteris --complete").

function __pteris_complete
    set -l words (commandline -opc)
    set -l current (string replace -r '^~/' "$HOME/" -- (commandline -ct | string unescape))
    set -l prefix (string match -r -- '^--[^=]*=' "$current"; or echo)
    set -l part (string replace -- "$prefix" '' "$current")
    for line in ($words[1] --complete $words[2..-1] "$current" 2>/dev/null)
        switch $line
            case :folders
                set -l found $part*/
                printf '%s\n' $prefix$found
            case :files
                set -l found $part*
                printf '%s\n' $prefix$found
            case ':files *'
                set -l found $part*/
                for suffix in (string split ' ' -- (string replace ':files ' '' -- $line))
                    set -a found $part*.$suffix $part*.(string upper $suffix)
                end
                printf '%s\n' $prefix$found
            case '*'
                printf '%s\n' $prefix$line
        end
    end
end

complete -c pteris -f -a '(__pteris_complete)'
