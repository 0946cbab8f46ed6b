# Builds what is published, from a clone of this checkout's commit: a Maven repository on disk, in target/staging, and a
# tarball in target/release-files. It is part of ./sluice.

published=jars/hadoop,jars/spark,jars/tools,jars/disni

make_release() {
  local work=$root/target/release staged=$root/target/staging files=$root/target/release-files
  local log=$root/target/sluice-release.log clone=$work/checkout staging=$work/staging snapshot version commit
  umask 022 # archives repeat the rights of files
  command -v git >/dev/null || die "no git found; install it (Debian: apt-get install git)"
  commit=$(git -C "$root" rev-parse --verify HEAD) || die "release builds a commit, and git finds none in $root"
  try_key
  [ -z "$(git -C "$root" status --porcelain)" ] || echo "Changes that are not committed are not in the release."
  rm -rf "$work" "$staged" "$files" # a release that is not whole must not look like one
  mkdir -p "$work"
  git clone -q --no-checkout "$root" "$clone"
  git -C "$clone" checkout -q --detach "$commit"
  snapshot=$(release_of "$clone") version=${snapshot%-SNAPSHOT}
  git -C "$clone" ls-files -z 'pom.xml' '*/pom.xml' |
    (cd "$clone" && xargs -0 sed -i "s,<version>$snapshot</version>,<version>$version</version>,")

  echo "Building release $version of commit $commit ..."
  timeout --foreground -k 30s 60m mvn -B -ntp -T2 -f "$clone/pom.xml" -P release -DskipTests -Dmaven.install.skip=true \
    "$(signing)" -DaltDeploymentRepository="staging::file://$staging" -pl "$published" -am deploy >"$log" 2>&1 || {
    tail -n 40 "$log" >&2
    die "the release was not built; Maven's whole output is in $log"
  }
  find "$staging" -name 'maven-metadata.xml*' -delete # it says when it was written; the repository that publishes has its own
  find "$staging" -type f ! -name '*.md5' ! -name '*.sha*' ! -name '*.asc' \
    -exec sh -c 'for f; do cd "${f%/*}" && sha512sum "${f##*/}" >"${f##*/}.sha512" || exit; done' sh {} + ||
    die "checksums could not be written to $staging"
  make_tarball "$clone" "$version" "$work/files" "$staging"/io/sluice/*/"$version"/*-"$version".jar >>"$log" 2>&1 || {
    tail -n 40 "$log" >&2
    die "the tarball was not made; the whole output is in $log"
  }
  ! can_sign || sign "$work/files/sluice-$version-bin.tar.gz"
  mv "$staging" "$staged"
  mv "$work/files" "$files"
  rm -rf "$work"
  can_sign || echo "Signing is skipped: gpg has no secret key here. Whoever publishes signs."
  echo "Release $version is in target/staging:"
  (cd "$staged" && find . -name '*.jar' | sort | sed 's,^\./,  ,')
  echo "Its tarball is in target/release-files: sluice-$version-bin.tar.gz"
}

# An option of Maven's.
signing() {
  if can_sign; then echo -Dgpg.skip=false; else echo -Dgpg.skip=true; fi
}

# Finds a locked key before minutes of building. Without -o: gpg removes a file that it could not write, for root /dev/null too.
try_key() {
  ! can_sign || [ -n "${MAVEN_GPG_PASSPHRASE-}" ] || echo | gpg --armor --detach-sign >/dev/null ||
    die "gpg cannot sign with its default key; unlock it, set MAVEN_GPG_PASSPHRASE, or name an empty GNUPGHOME to skip signing"
}

# As Maven signs the jars.
sign() { # file
  if [ -n "${MAVEN_GPG_PASSPHRASE-}" ]; then
    gpg --batch --pinentry-mode loopback --passphrase-fd 0 --armor --detach-sign "$1" <<<"$MAVEN_GPG_PASSPHRASE"
  else
    gpg --armor --detach-sign "$1"
  fi || die "gpg could not sign $1"
}

can_sign() {
  [ -n "$(gpg --batch --list-secret-keys --with-colons 2>/dev/null)" ]
}
