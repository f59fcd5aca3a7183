#!/bin/sh
# The steps of the Containerfile. They need Node.js with npm, and neither git nor a compiler.
#
#   scripts/container.sh dependencies    installs what the build needs; keeps an existing node_modules
#   scripts/container.sh build FOLDER    builds Gasdesk and puts the files of the image into the empty FOLDER
set -eu
cd "$(dirname "$0")/.."

dependencies() {
  [ -d node_modules ] || npm ci
}

build() {
  program=$1/opt/gasdesk
  mkdir -p "$program/node_modules" "$1/usr/local/bin"
  npm pack --pack-destination "$1"
  tar -xzf "$1"/gasdesk-*.tgz -C "$program" --strip-components=1
  rm "$1"/gasdesk-*.tgz
  # The versions in the lock file, which the build installed. The first line is Gasdesk itself.
  npm ls --omit=dev --omit=optional --all --parseable | tail -n +2 | while read -r package; do
    to=$program/${package#"$PWD"/}
    # A package inside another one was copied with it.
    [ -e "$to" ] && continue
    mkdir -p "$(dirname "$to")"
    cp -R "$package" "$to"
  done
  chmod 755 "$program/out/cli/index.js"
  ln -s /opt/gasdesk/out/cli/index.js "$1/usr/local/bin/gasdesk"
}

"$@"
