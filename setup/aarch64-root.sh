#!/usr/bin/env bash
# Makes the root file system of the lab's guest of aarch64: packages for arm64 of this machine's release of Debian,
# unpacked. It needs neither root nor a change of this machine's own packages. No program of theirs runs here: what their
# scripts would make, and the guest needs, is made below. The directory appears under its name when it is whole.
set -euo pipefail

made=$1 staging=$1.fetching
packages=(linux-image-arm64 busybox-static bash coreutils grep hostname iproute2 kmod mount sed util-linux
  default-jre-headless ibverbs-providers ibverbs-utils libpmem1
  gcc libc6-dev libibverbs-dev) # these three for the test that compares layouts with libibverbs's header

mkdir -p "$(dirname "$made")"
exec 9>"$made.lock"
flock -w 1200 9
[ ! -d "$made" ] || exit 0 # another shell has made it meanwhile
rm -rf "$staging"
mkdir -p "$staging"/{state/lists/partial,cache/archives/partial,root/usr/{bin,lib,sbin}}
: >"$staging/status" # nothing is installed
apt=(timeout -k 30s 10m apt-get -qq -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o APT::Sandbox::User=root
  -o Dir::State="$staging/state" -o Dir::State::status="$staging/status" -o Dir::Cache="$staging/cache")
"${apt[@]}" update
"${apt[@]}" -y --no-install-recommends --download-only install "${packages[@]}"

cd "$staging/root"
ln -s usr/bin usr/lib usr/sbin .
for package in ../cache/archives/*.deb; do
  dpkg-deb --fsys-tarfile "$package" | tar -x --keep-directory-symlink --no-same-owner
done
mkdir -p etc/lvm opt srv
ln -s bash bin/sh
ln -s busybox bin/poweroff
ln -s gcc bin/cc
ln -s ../lib/jvm/default-java/bin/java bin/java
echo root:x:0:0:root:/root:/bin/bash >etc/passwd
printf 'root:x:0:\ntty:x:5:\n' >etc/group
touch etc/fstab etc/shadow
for kernel in lib/modules/*; do
  PATH=$PATH:/usr/sbin:/sbin depmod -b . "${kernel##*/}"
done
cd /
mv "$staging/root" "$made"
rm -rf "$staging"
