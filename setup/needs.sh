# Finds what this machine lacks for a command, and asks whether to install it. It is part of ./sluice.

answer_s=300 # for an answer at a terminal
spark_cache=${XDG_CACHE_HOME:-$HOME/.cache}/sluice/spark
spark_releases="4.2.0 4.1.2 4.0.3 3.5.8 3.5.8-scala2.13" # of stock Spark, which the one jar works with
lab_venv=$root/target/lab/venv
site_venv=$root/target/docs/venv
aarch64_root=${XDG_CACHE_HOME:-$HOME/.cache}/sluice/lab/aarch64

# A command sets what it needs: system libraries, what boots a guest, what boots one of aarch64 besides, releases of Spark
# and of which of them Python's part, what builds the documentation's site, what builds images.
for_host='' for_lab='' for_aarch64='' for_docs='' for_images='' spark_versions='' pyspark_version=''

# look_around sets what of that is missing.
needed_packages=() needed_vng='' needed_aarch64='' needed_spark=() needed_site=''
manager=none
if command -v apt-get >/dev/null; then manager=apt; elif command -v dnf >/dev/null; then manager=dnf; fi

has_library() {
  # Not grep -q: it ends before ldconfig does, which then fails by a broken pipe.
  { ldconfig -p 2>/dev/null || /sbin/ldconfig -p 2>/dev/null; } | grep "$1" >/dev/null
}

has_rxe_library() {
  compgen -G '/usr/lib*/libibverbs/librxe-*' >/dev/null || compgen -G '/usr/lib/*/libibverbs/librxe-*' >/dev/null
}

has_lab_kernel() {
  compgen -G '/lib/modules/*/kernel/drivers/infiniband/sw/rxe/rdma_rxe.ko*' >/dev/null && compgen -G '/boot/vmlinuz-*' >/dev/null
}

has_qemu() {
  command -v qemu-system-x86_64 >/dev/null
}

has_python_venv() {
  python3 -c 'import ensurepip, venv' 2>/dev/null
}

has_vng() {
  command -v vng >/dev/null || [ -x "$lab_venv/bin/vng" ]
}

# What an older checkout fetched has no part for Python.
has_spark() { # version
  [ -d "$spark_cache/$1" ] && { [ "$1" != "$pyspark_version" ] || [ -d "$spark_cache/$1/python" ]; }
}

# The packages that were installed are those of the requirements.
has_site_packages() {
  cmp -s "$root/docs/requirements.txt" "$site_venv/requirements.txt"
}

# What the lab boots its guest with and is missing, each with its package of Debian. Other packages are not known.
missing_lab_tools() {
  has_qemu || echo qemu-system-x86_64:qemu-system-x86
  has_lab_kernel || echo "a kernel with rdma_rxe in /boot and /lib/modules:linux-image-amd64"
  local program
  for program in busybox:busybox-static modprobe:kmod ip:iproute2 rdma:iproute2 ndctl:ndctl mkfs.ext4:e2fsprogs ib_read_bw:perftest; do
    PATH=$PATH:/usr/sbin:/sbin command -v "${program%%:*}" >/dev/null || echo "$program"
  done
  has_rxe_library || echo librxe-rdmav34.so:ibverbs-providers
  has_library librdmacm.so.1 || echo librdmacm.so.1:librdmacm1
  has_python_venv || echo "python3 with venv:python3-venv"
}

# Whether a guest boots here, or may boot once packages of known names are installed. If the names are not known, it says
# what is missing.
guest_may_boot() {
  [ "$(uname -m)" = x86_64 ] || return 1 # the lab gives the reason
  [ "$manager" != apt ] || return 0
  local missing=() list
  mapfile -t missing < <(missing_lab_tools)
  [ ${#missing[@]} != 0 ] || return 0
  list=$(printf ', %s' "${missing[@]%%:*}")
  echo "sluice: the lab needs what is not found here, and its packages are known for Debian alone: ${list:2}" >&2
  has_qemu && has_lab_kernel
}

# Packages that are missing, by their names for apt or dnf.
missing_packages() { # apt|dnf
  # The lab's list has ibverbs-providers too; whatever is for the lab is for the host as well.
  if [ "$1" = apt ] && [ -n "$for_lab" ]; then missing_lab_tools | sed '/:ibverbs-providers$/d; s/.*://'; fi
  if [ "$1" = apt ] && [ -n "$for_aarch64" ]; then command -v qemu-system-aarch64 >/dev/null || echo qemu-system-arm; fi
  if [ "$1" = apt ] && [ -n "$needed_site" ]; then has_python_venv || echo python3-venv; fi
  if [ -n "$for_images" ]; then
    command -v buildah >/dev/null || echo buildah
    command -v mmdebstrap >/dev/null || echo mmdebstrap
  fi
  [ -n "$for_host" ] || return 0
  has_library libucp.so.0 || { [ "$1" = apt ] && echo libucx0 || echo ucx; }
  { has_library libibverbs.so.1 && has_rxe_library; } || { [ "$1" = apt ] && echo ibverbs-providers || echo libibverbs; }
  has_library libpmem.so.1 || { [ "$1" = apt ] && echo libpmem1 || echo libpmem; }
  [ -d /usr/share/wordnet ] || { [ "$1" = apt ] && echo wordnet-base || echo wordnet; }
}

look_around() {
  [ -z "$for_docs" ] || has_site_packages || needed_site=yes
  mapfile -t needed_packages < <(missing_packages "$manager")
  if [ "$manager" = none ] && [ ${#needed_packages[@]} != 0 ]; then
    echo "sluice: not found here: ${needed_packages[*]} (their names at Fedora); tests that need them are skipped by name" >&2
    needed_packages=()
  fi
  [ -z "$for_lab" ] || has_vng || needed_vng=yes
  if is_debian && [ -n "$for_aarch64" ] && [ ! -d "$aarch64_root" ]; then needed_aarch64=yes; fi
  local version
  for version in $spark_versions; do has_spark "$version" || needed_spark+=("$version"); done
}

is_debian() { # others that have apt have no package linux-image-arm64
  grep -q '^ID=debian$' /etc/os-release 2>/dev/null
}

is_root() {
  [ "$(id -u)" = 0 ]
}

package_command() {
  local sudo=
  is_root || sudo='sudo '
  case $manager in
    apt) echo "${sudo}apt-get update && ${sudo}apt-get install --no-install-recommends ${needed_packages[*]}" ;;
    dnf) echo "${sudo}dnf install ${needed_packages[*]}" ;;
  esac
}

show_needs() {
  echo "sluice $command needs what this machine does not have:"
  [ ${#needed_packages[@]} = 0 ] || echo "  system packages: $(package_command)"
  case " ${needed_packages[*]-} " in
    *" linux-image-amd64 "*) echo "    linux-image-amd64 adds a kernel to /boot: the lab boots it, and this machine may too when it starts next" ;;
  esac
  [ -z "$needed_vng" ] || echo "  into this checkout: virtme-ng 1.42 from PyPI, in target/lab/venv"
  [ -z "$needed_aarch64" ] || echo "  into $aarch64_root: Debian's kernel and packages for arm64, a download of 200 MB, 1 GB in the end"
  [ -z "$needed_site" ] || echo "  into this checkout: the packages of docs/requirements.txt from PyPI, in target/docs/venv"
  [ ${#needed_spark[@]} = 0 ] || echo "  into $spark_cache: stock Spark ${needed_spark[*]} from PyPI, for each a download of up to 450 MB, 500 MB in the end"
  [ ${#needed_spark[@]} = 0 ] || echo "    without it, what runs Spark fails; tests that lack anything else are skipped by name"
}

# Whether somebody at a terminal sees a question. Output may go into a pipe; but a job in the background would be stopped
# when it asks.
can_ask() {
  [ -t 0 ] && { : </dev/tty; } 2>/dev/null || return 1
  local stat
  stat=$(<"/proc/$$/stat") || return 1
  # shellcheck disable=SC2086 # a field each: state, parent, process group, session, terminal, the terminal's process group
  set -- ${stat##*) }
  [ "$3" = "$6" ]
}

# Whether to install what is missing. It ends the launcher with status 3 if nobody answers.
agree() {
  [ ${#needed_packages[@]} != 0 ] || [ -n "$needed_vng$needed_aarch64$needed_site" ] || [ ${#needed_spark[@]} != 0 ] || return 1
  case $consent in
    no-install) return 1 ;;
    install)
      show_needs >&2
      return 0
      ;;
  esac
  if can_ask; then
    local answer=
    show_needs >/dev/tty
    printf 'Install it? [y]es, [n]o: go on without it, [q]uit: ' >/dev/tty
    read -r -t "$answer_s" answer </dev/tty || { answer= && echo >/dev/tty; }
    case $answer in
      [yY]*) return 0 ;;
      [nN]*) return 1 ;;
    esac
    echo "Nothing was installed." >&2
  else
    show_needs >&2
    echo "Nothing was installed. --install installs all of this, --no-install goes on without it." >&2
  fi
  exit 3
}
