# Installs what a command lacks after somebody has agreed: system packages, Python's packages, stock Spark. It is part of
# ./sluice.

fetch_end_s=1800 # after the start of the launcher; then fetching Spark has failed

# Asks, and installs what was agreed to. Spark is fetched by fetch_needed_spark, beside a build or before it.
prepare() {
  look_around
  if agree; then
    [ ${#needed_packages[@]} = 0 ] || install_packages
    [ -z "$needed_vng" ] || install_vng
    [ -z "$needed_aarch64" ] || install_aarch64
    [ -z "$needed_site" ] || install_site_packages
  else
    [ ${#needed_spark[@]} = 0 ] || echo "sluice: going on without Spark ${needed_spark[*]}; what runs it will fail" >&2
    needed_spark=()
  fi
}

installed_packages() {
  case $manager in
    apt) dpkg-query -W -f '${db:Status-Abbrev} ${Package}\n' | sed -n 's/^.i *//p' ;;
    dnf) rpm -qa --qf '%{NAME}\n' ;;
  esac 2>/dev/null | LC_ALL=C sort -u
}

# Lets sudo ask for a password. Debian's sudo has no deadline of its own, and it is root's process, so that nothing here
# can end it; it ends when the terminal is no longer this script's.
ask_for_password() {
  local status=0
  ! sudo -n true 2>/dev/null || return 0
  read -r -t "$answer_s" < <(sudo -v </dev/tty && echo agreed) || status=$?
  [ "$status" != 0 ] || return 0
  [ "$status" -le 128 ] || echo "sluice: no password for sudo within $answer_s s" >&2
  echo "sluice: sudo did not agree; nothing was installed" >&2
  exit 3
}

# Writes what came with the packages into target/sluice-installed, for their removal.
install_packages() {
  local sudo=() before failed
  if ! is_root; then
    sudo=(sudo -n)
    if can_ask; then
      ask_for_password
      sudo -n true 2>/dev/null || sudo=(sudo) # it keeps no password, and asks each time
    fi
  fi
  mkdir -p "$root/target"
  failed="sluice: not all of these could be installed: ${needed_packages[*]}; tests that need them are skipped by name. See target/sluice-install.log"
  before=$(installed_packages) || true
  echo "Running $(package_command) ..."
  case $manager in
    apt)
      { "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive timeout -k 30s 5m apt-get -qq update &&
        "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive timeout -k 30s 10m apt-get -qq -y install --no-install-recommends "${needed_packages[@]}"; } \
        >"$root/target/sluice-install.log" 2>&1 || echo "$failed" >&2
      ;;
    dnf)
      "${sudo[@]}" timeout -k 30s 15m dnf -q -y install "${needed_packages[@]}" >"$root/target/sluice-install.log" 2>&1 || echo "$failed" >&2
      ;;
  esac
  LC_ALL=C comm -13 <(echo "$before") <(installed_packages) >>"$root/target/sluice-installed"
}

# virtme-ng boots a kernel over this machine's own root file system. It is on PyPI alone.
install_vng() {
  mkdir -p "$root/target/lab"
  echo "Installing virtme-ng into target/lab/venv ..."
  { timeout -k 30s 5m python3 -m venv "$lab_venv" && timeout -k 30s 5m "$lab_venv/bin/pip" -q install virtme-ng==1.42; } >"$root/target/lab/install.log" 2>&1 ||
    echo "sluice: virtme-ng could not be installed; see target/lab/install.log" >&2
}

install_aarch64() {
  mkdir -p "$root/target/lab"
  echo "Fetching Debian's kernel and packages for arm64 into $aarch64_root ..."
  bash "$root/setup/aarch64-root.sh" "$aarch64_root" >"$root/target/lab/install-aarch64.log" 2>&1 && return 0
  tail -n 20 "$root/target/lab/install-aarch64.log" >&2
  echo "sluice: packages for arm64 could not be fetched; the suite aarch64 is skipped by name" >&2
}

# MkDocs and its theme, in the versions and with the hashes of the requirements.
install_site_packages() {
  mkdir -p "$root/target/docs"
  echo "Installing the packages of docs/requirements.txt into target/docs/venv ..."
  { timeout -k 30s 5m python3 -m venv --clear "$site_venv" &&
    timeout -k 30s 10m "$site_venv/bin/pip" -q install --require-hashes -r "$root/docs/requirements.txt" &&
    cp "$root/docs/requirements.txt" "$site_venv/requirements.txt"; } >"$root/target/docs/install.log" 2>&1 || {
    tail -n 20 "$root/target/docs/install.log" >&2
    die "the packages of docs/requirements.txt could not be installed; see target/docs/install.log"
  }
}

# The documentation's site; a warning fails it.
build_site() { # [--serve]
  has_site_packages || die "docs needs the packages of docs/requirements.txt, and --install installs them"
  cd "$root"
  export PYTHONDONTWRITEBYTECODE=1 # of docs/site.py
  export NO_MKDOCS_2_WARNING=1     # of the theme, about its own future
  case " $* " in
    *" --serve "*) exec "$site_venv/bin/mkdocs" serve --strict ;;
  esac
  timeout --foreground -k 30s 10m "$site_venv/bin/mkdocs" build --strict --site-dir target/site || die "the site was not built"
  echo "The site is in target/site: open target/site/index.html"
}

# What is left of the time for that; never 0, with which timeout would wait for ever.
fetch_left_s() {
  echo $((SECONDS < fetch_end_s ? fetch_end_s - SECONDS : 1))
}

fetch_needed_spark() {
  local version
  for version in ${needed_spark[@]+"${needed_spark[@]}"}; do fetch_spark "$version" || return; done
}

# The release of pyspark, in staging/home; for fetch_spark, whose variables it reads.
stage_pyspark() {
  echo "pyspark==$version --hash=sha256:$sha256" >"$staging/requirements" &&
    timeout -k 30s "$(fetch_left_s)" python3 -m venv "$staging/venv" &&
    TMPDIR=$staging timeout -k 30s "$(fetch_left_s)" "$staging/venv/bin/pip" download -q --no-cache-dir --no-deps --require-hashes \
      -r "$staging/requirements" -d "$staging" &&
    timeout -k 30s "$(fetch_left_s)" tar --no-same-owner -xzf "$staging/pyspark-$version.tar.gz" -C "$staging/home" \
      --transform 's,^[^/]*/deps/,,;s,^[^/]*/lib,python/lib,' \
      "pyspark-$version/deps/bin" "pyspark-$version/deps/jars" "pyspark-$version/lib"
}

# The same release with Scala 2.13: its jars but those of Scala 2.12, and the listed ones from Maven Central. Maven gets a
# repository of its own, because the build may be filling the usual one.
stage_scala213() {
  local other=$cache/${version%-*} list=$root/setup/spark-$version.jars jar sha coordinates group artifact number
  cp -r "$other/bin" "$staging/home/" && mkdir "$staging/home/jars" || return
  for jar in "$other"/jars/*; do
    case ${jar##*/} in
      *_2.12-* | scala-*) ;;
      *) ln "$jar" "$staging/home/jars/" || return ;;
    esac
  done
  {
    echo '<project><modelVersion>4.0.0</modelVersion><groupId>jars</groupId><artifactId>jars</artifactId>'
    echo '<version>1</version><packaging>pom</packaging><dependencies>'
    while read -r sha coordinates; do
      IFS=: read -r group artifact number <<<"$coordinates"
      echo "<dependency><groupId>$group</groupId><artifactId>$artifact</artifactId><version>$number</version><exclusions>"
      echo '<exclusion><groupId>*</groupId><artifactId>*</artifactId></exclusion></exclusions></dependency>'
      echo "$sha  $staging/home/jars/$artifact-$number.jar" >&3
    done <"$list"
    echo '</dependencies></project>'
  } >"$staging/pom.xml" 3>"$staging/sums" &&
    timeout -k 30s "$(fetch_left_s)" mvn -B -ntp -q -f "$staging/pom.xml" -Dmaven.repo.local="$staging/repository" \
      org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies -DoutputDirectory="$staging/home/jars" &&
    sha256sum --quiet -c "$staging/sums"
}

# Fetches stock Spark for tests and the demo, once per user: bin, jars and Python's archives of pyspark on PyPI, and what
# that lacks of Scala 2.13 from Maven Central. What has a release's name is whole: it is checked and unpacked beside it,
# under a lock that lasts until a killed shell's children end. A release without Python's part gets only that, because
# others may be running the rest.
fetch_spark() { # version
  local version=$1 cache=$spark_cache sha256
  case $version in
    4.2.0) sha256=5ad689d53570ee1674193fd4f9bda065f0db3be9363a27d2a3406cc457b70b61 ;;
    4.1.2) sha256=fa5d6159f700d0990a07f4f62df1b7449401dccee9cd7d5d6df8957530841602 ;;
    4.0.3) sha256=9ed23e8601d73afae857eb5f9e11050b59cd11bbe50777564fcc4923cb117c1c ;;
    3.5.8) sha256=54cca0767b21b40e3953ad1d30f8601c53abf9cbda763653289cdcfcac52313c ;;
    3.5.8-scala2.13)
      fetch_spark 3.5.8 || return
      sha256=''
      ;;
    *) die "Spark $version is not known here; known are $spark_releases" ;;
  esac
  ! has_spark "$version" || return 0
  echo "Fetching Spark $version into $cache: a download of up to 450 MB, 500 MB in the end ..."
  mkdir -p "$cache" "$root/target"
  (
    flock -w "$(fetch_left_s)" 9 || {
      echo "another shell that fetches Spark has held $cache/.lock for too long"
      exit 1
    }
    ! has_spark "$version" || exit 0 # another shell has fetched it meanwhile
    staging=$cache/.fetching
    rm -rf "$staging" && mkdir -p "$staging/home" &&
      if [ -n "$sha256" ]; then stage_pyspark; else stage_scala213; fi &&
      if [ -d "$cache/$version" ]; then mv "$staging/home/python" "$cache/$version/"; else mv "$staging/home" "$cache/$version"; fi
    status=$?
    rm -rf "$staging"
    exit "$status"
  ) 9>"$cache/.lock" >"$root/target/sluice-spark.log" 2>&1 && return 0
  tail -n 20 "$root/target/sluice-spark.log" >&2
  echo "sluice: Spark $version could not be fetched (python3 with venv, PyPI, Maven and Maven Central are needed); what needs it will fail" >&2
  return 1
}
