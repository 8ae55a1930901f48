#!/bin/sh
# Builds PgBouncer 1.24 of Debian 13 in the folder given: Debian 12 has 1.18, which does not follow prepared statements (from 1.21 on).
set -eu
folder=$1
cd "$folder"
mkdir -p apt/lists/partial apt/cache/archives/partial
keys=/usr/share/keyrings/debian-archive-keyring.gpg
echo "deb-src [signed-by=$keys] http://deb.debian.org/debian trixie main" > apt/sources.list
# Lists of its own: the machine's stay those of its release.
apt="-qq -o Dir::Etc::SourceList=$folder/apt/sources.list -o Dir::Etc::SourceParts=/dev/null"
apt="$apt -o Dir::State::Lists=$folder/apt/lists -o Dir::Cache=$folder/apt/cache -o APT::Sandbox::User=root"
apt-get $apt update
apt-get $apt source --only-source pgbouncer
cd pgbouncer-*/
./configure --without-cares --quiet CFLAGS=-O0
make -s -j2 pgbouncer
mv pgbouncer "$folder/"
rm -rf "$folder/apt" "$folder"/pgbouncer-* "$folder"/pgbouncer_*
