#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Pictures of the window over the scripted engine: screenshots.sh BUILD-DIR OUT-DIR [NAME...]
# Needs what ./dev installs for tests: Xvfb, a window manager that draws shadows and places dialogs, ImageMagick, the font.
# Look at every one of them.
set -eu
build=$1
out=$2
shift 2
wanted=" $* "
for program in xvfb-run xfwm4 import fc-match; do
  command -v $program >/dev/null || { echo "screenshots.sh: “$program” is missing: ./dev test installs it." >&2; exit 1; }
done
font=${FONT:-Cantarell 11}
case $(fc-match "${font% *}" family) in
*"${font% *}"*) ;;
*) echo "screenshots.sh: the font “${font% *}” is missing: ./dev test installs it." >&2; exit 1 ;;
esac
export GDK_BACKEND=x11 GSK_RENDERER=cairo ADW_DISABLE_PORTAL=1 GSETTINGS_BACKEND=memory GTK_A11Y=none LC_ALL=C.UTF-8
XDG_CONFIG_HOME=$(mktemp -d)
export XDG_CONFIG_HOME
trap 'rm -r "$XDG_CONFIG_HOME"' EXIT
mkdir -p "$out" "$XDG_CONFIG_HOME/gtk-4.0"
printf '[Settings]\ngtk-font-name=%s\n' "$font" >"$XDG_CONFIG_HOME/gtk-4.0/settings.ini"

shoot() { # NAME SIZE SCENE [dark]
  name=$1
  size=$2
  shift 2
  case $wanted in "  " | *" $name "*) ;; *) return 0 ;; esac
  xvfb-run -a -s "-screen 0 ${size}x24" sh -c '
    picture=$1; shift
    xfwm4 --compositor=on >/dev/null 2>&1 & manager=$!
    sleep 1
    "$@" 2>/dev/null & scene=$!
    # A pointer in the middle would bring up tooltips.
    sleep 2
    command -v xdotool >/dev/null && xdotool mousemove 1 1
    sleep 3
    import -window root -depth 8 -strip "$picture"
    kill $scene $manager' sh "$out/$name.png" "$build/tests/ui/ui-scenes" "$@"
}

shoot welcome 1080x720 welcome
shoot welcome-dark 1080x720 welcome dark
shoot welcome-large 480x720 welcome large
shoot preferences 700x640 preferences
shoot preferences-models-dark 700x640 preferences-models dark
shoot preferences-large 480x720 preferences-safety large
shoot shortcuts 1080x720 shortcuts
shoot right-to-left 1080x720 models rtl
shoot empty 1080x720 empty
shoot no-models 1080x720 no-models
shoot markdown 1080x720 chat
shoot dark 1080x720 chat dark
shoot answer 1080x720 rich
shoot answer-dark 1080x720 rich dark
shoot answer-large 1080x720 rich large
shoot answer-wide 1920x1080 rich
shoot answer-narrow 480x720 rich
shoot thinking 1080x720 thinking
shoot chat-settings 1080x720 chat-settings
shoot context-full 480x720 full
shoot context-full-large 480x720 full large
shoot model-menu 1080x720 model-menu
shoot error 1080x720 error
shoot consent 1080x720 consent
shoot queue 1080x720 transcribe
shoot narrow 480x720 chat
shoot narrow-transcribe 480x720 transcribe
shoot transcript 1080x720 transcript
shoot transcript-dark 1080x720 transcript dark
shoot transcript-large 1080x720 find large
shoot transcript-narrow 480x720 transcript
shoot record 1080x720 record
shoot drop 1080x720 drop
shoot models 1080x720 models
shoot models-dark 1080x720 odd-models dark
shoot models-large 1080x760 models large
shoot models-narrow 480x720 odd-models
shoot models-crashed 1080x720 crashed
shoot pictures 1080x720 pictures
shoot pictures-dark 1080x720 pictures dark
shoot pictures-large 1080x760 pictures large
shoot pictures-narrow 480x720 writing
shoot inspect 1080x720 inspect
shoot inspect-dark 1080x720 inspect dark
shoot inspect-large 1080x760 inspect large
shoot run 1080x1520 run
shoot run-narrow 480x720 run
shoot gpu 1080x960 gpu
shoot gpu-dark 1080x960 gpu dark
shoot gpu-large 1080x1300 gpu large
shoot gpu-narrow 480x960 gpu
shoot gpu-ten-minutes 1080x960 ten-minutes
shoot gpu-lost 1080x1300 two-gpus
shoot server 1080x930 server
shoot server-dark 480x900 server dark
shoot server-large 1080x1300 server large
shoot no-gpu 1080x720 no-gpu
shoot no-gpu-dark 480x720 no-gpu dark
