#!/bin/sh
# Becomes the container of a pod: a root that cannot be written, /dev/shm of a given size, a user of another number. It is
# the first process of new namespaces for mounts, processes, names and shared memory.
#
# pod-root.sh ROOT HOSTNAME UID SHM_SIZE [SOURCE TARGET ro|rw]... -- DIRECTORY COMMAND...
set -eu
root=$1 name=$2 user=$3 shm=$4
shift 4
echo "$name" >/proc/sys/kernel/hostname
mount -t tmpfs -o mode=0755 pod "$root"
mkdir "$root/proc" "$root/sys" "$root/dev"
mount -t proc proc "$root/proc"
mount --rbind /sys "$root/sys" # a JVM looks there for the limits of its control group
mount -t tmpfs -o mode=0755 dev "$root/dev"
for device in null zero full random urandom; do
  : >"$root/dev/$device"
  mount --bind "/dev/$device" "$root/dev/$device"
done
ln -s /proc/self/fd "$root/dev/fd"
mkdir "$root/dev/shm"
mount -t tmpfs -o "nosuid,nodev,noexec,mode=1777,size=$shm" shm "$root/dev/shm" # as containerd does
for part in /bin /sbin /lib* /usr /etc; do
  if [ -L "$part" ]; then
    cp -P "$part" "$root$part"
  else
    mkdir "$root$part"
    mount --bind -o ro "$part" "$root$part"
  fi
done
while [ "$1" != -- ]; do
  [ -e "$root$2" ] || mkdir -p "$root$2"
  mount --bind -o "$3" "$1" "$root$2"
  shift 3
done
shift
mount -o remount,ro "$root"
mount -o remount,ro "$root/dev"
cd /
# Stays, since the kernel lets nobody in here kill the first process, and jobs of tests kill executors.
chroot "$root" setpriv --reuid="$user" --regid=0 --clear-groups --no-new-privs --inh-caps=-all --bounding-set=-all \
  sh -c 'cd "$1" && shift && exec "$@"' sh "$@"
