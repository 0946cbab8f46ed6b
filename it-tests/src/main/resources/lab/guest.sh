# Sourced in the guest by every script of the lab, as root: gives it fast files, an RDMA device and pools of every kind.
# Set before: lab_share, lab_root, lab_views (directories), lab_address, lab_mac (of the wire to another guest, or empty),
# lab_class_path, lab_caches (of the user, where Spark is), lab_seed (of randomized tests, as java's option, or empty).
set -euo pipefail

lab_fail() {
  echo "LAB: $*" >&2
  exit 97
}

# The root file system is the host's over 9p without a cache: every read of a jar is a round trip, and a JVM starts three
# times slower than from this second, cached view, which is laid over the directories that matter.
lab_cached_files() {
  local view
  mkdir -p /run/lab/share /run/lab/host
  mount --bind "$lab_share" /run/lab/share
  mount -t 9p -o trans=virtio,version=9p2000.L,cache=loose,msize=512000,ro host /run/lab/host
  for view in $lab_views; do
    mkdir -p "$view"
    mount --bind "/run/lab/host$view" "$view"
  done
  mount --bind /run/lab/share "$lab_share"
}

lab_memory_files() {
  mkdir -p /dev/shm /run/lab/tmpfs
  mountpoint -q /dev/shm || mount -t tmpfs -o mode=1777 shm /dev/shm
  mount -t tmpfs -o size=1g tmpfs /run/lab/tmpfs
  lab_properties=("-Dsluice.lab.tmpfs=/run/lab/tmpfs" "-Dsluice.lab.share=$lab_share" ${lab_seed:+"$lab_seed"})
}

# Hadoop's class path brings log4j without settings: warnings belong where the tests' own output is.
lab_log_settings() {
  cat >/run/lab/log4j.properties <<'END'
log4j.rootLogger=WARN,err
log4j.appender.err=org.apache.log4j.ConsoleAppender
log4j.appender.err.target=System.err
log4j.appender.err.layout=org.apache.log4j.PatternLayout
log4j.appender.err.layout.ConversionPattern=%d{HH:mm:ss.SSS} %p %c{1}: %m%n
END
}

# rxe0 on the wire to the other guest, or on an interface of its own.
lab_rdma_device() {
  local module interface=dummy0
  for module in rdma_rxe rdma_ucm; do
    modprobe "$module" || lab_fail "the kernel $(uname -r) has no module $module"
  done
  ip link set lo up
  if [ -n "$lab_mac" ]; then
    modprobe virtio_net
    interface=$(basename "$(dirname "$(grep -l -i "$lab_mac" /sys/class/net/*/address)")")
  else
    modprobe dummy numdummies=0
    ip link add dummy0 type dummy
    ip link set dummy0 mtu 4200
  fi
  ip addr add "$lab_address/24" dev "$interface"
  ip addr add "fd00:77::${lab_address##*.}/64" dev "$interface" nodad
  ip link set "$interface" up
  rdma link add rxe0 type rxe netdev "$interface"
  # Names both ways for the daemons, whose addresses must be those of RDMA devices.
  printf '127.0.0.1 localhost\n10.77.0.1 sluice-1\n10.77.0.2 sluice-2\n' >/etc/hosts
  hostname "sluice-${lab_address##*.}"
  ulimit -l unlimited
  export UCX_IB_REG_METHODS=direct LD_LIBRARY_PATH=/usr/local/lib # where libdisni is installed
  echo "LAB: $(rdma link show rxe0/1)"
}

lab_huge_pages() { # MiB
  echo $(($1 / 2)) >/proc/sys/vm/nr_hugepages
  mkdir -p /run/lab/huge
  mount -t hugetlbfs none /run/lab/huge
  lab_properties+=("-Dsluice.lab.hugetlbfs=/run/lab/huge")
}

# The first NVDIMM is a file system with DAX, the second a DAX device. What they hold from an earlier boot stays.
lab_persistent_memory() {
  local module
  for module in nfit nd_pmem device_dax; do
    modprobe "$module" || lab_fail "the kernel $(uname -r) has no module $module"
  done
  if [ "$(blkid -o value -s TYPE /dev/pmem0)" != ext4 ]; then
    ndctl create-namespace -f -e namespace0.0 --mode=fsdax --map=mem >/dev/null
    mkfs.ext4 -q /dev/pmem0
  fi
  mkdir -p /run/lab/fsdax
  mount -o dax=always /dev/pmem0 /run/lab/fsdax
  lab_properties+=("-Dsluice.lab.fsdax=/run/lab/fsdax")
  if [ -e /sys/bus/nd/devices/namespace1.0 ]; then
    [ -e /dev/dax1.0 ] || ndctl create-namespace -f -e namespace1.0 --mode=devdax --align=2M >/dev/null
    lab_properties+=("-Dsluice.lab.devdax=/dev/dax1.0")
  fi
}

# java with what all programs of the lab need. The second compiler costs an emulated processor more than it gives, and
# to verify classes a third of a start; tests outside the lab verify the same ones.
lab_java() {
  java -XX:TieredStopAtLevel=1 -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote -XX:+UseSerialGC \
    "-XX:ErrorFile=$lab_share/crash-%p.log" \
    -Dlog4j.configuration=file:/run/lab/log4j.properties \
    --add-opens java.base/sun.nio.ch=ALL-UNNAMED --add-exports java.base/sun.nio.ch=ALL-UNNAMED \
    "${lab_properties[@]}" "-Dsluice.root=$lab_root" -cp "$lab_class_path" "$@"
}

# Runs every script that the other guest leaves in the share, until it is killed.
lab_peer() {
  local job taken
  mkdir -p "$lab_share/peer"
  : >"$lab_share/peer/ready"
  while :; do
    for job in "$lab_share"/peer/*.job; do
      if [ -e "$job" ]; then
        taken=${job%.job}.sh
        mv "$job" "$taken"
        bash "$taken" &
      fi
    done
    sleep 0.2
  done
}

# More options of JUnit's launcher.
lab_launcher=()

# The JUnit classes named, in one JVM; reports and nothing else go to the share.
lab_suite() { # class names
  local selected=() class
  for class in "$@"; do
    selected+=("--select-class=$class")
  done
  cd "$lab_root"
  lab_java -Xmx1g -Djava.io.tmpdir=/run/lab/tmpfs org.junit.platform.console.ConsoleLauncher execute \
    --disable-banner --disable-ansi-colors --details=testfeed "--reports-dir=$lab_share/lab-reports" \
    "${lab_launcher[@]}" "${selected[@]}"
}

export XDG_CACHE_HOME=$lab_caches
lab_cached_files
lab_memory_files
lab_log_settings
lab_rdma_device
