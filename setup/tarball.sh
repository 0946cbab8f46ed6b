# Packs what runs without a checkout, without Maven and without a network: sluice-VERSION-bin.tar.gz. The same commit and the
# same jars give the same bytes. It is part of ./sluice release.

# The tarball goes into a directory that is made anew, with its SHA-512 beside it.
make_tarball() { # checkout, version, new directory, JAR...
  local checkout=$1 version=$2 place=$3 file=sluice-$2-bin.tar.gz tree commit_s
  shift 3
  commit_s=$(git -C "$checkout" log -1 --format=%ct) || return
  rm -rf "$place"
  tree=$place/sluice-$version
  mkdir -p "$tree/bin" "$tree/libexec" "$tree/jars" &&
    (
      cd "$checkout" && cp dist/bin/sluice "$tree/bin" && cp setup/exec-jar.sh "$tree/libexec" &&
        cp -r dist/conf dist/systemd dist/helm dist/kubernetes docs licenses LICENSE NOTICE "$tree" &&
        cp README.md CHANGELOG.md SECURITY.md CONTRIBUTING.md "$tree" && cp -r docs/conf/local "$tree/conf"
    ) &&
    (
      cd "$tree" && mv docs/grafana . && ln -s ../grafana docs && # pages have links to it there
        rm docs/site.* docs/requirements.*                        # of the site
    ) &&
    cp "$@" "$tree/jars" && add_hadoop "$checkout" "$tree" && mend_links "$checkout" "$tree" &&
    tar -C "$place" --sort=name --format=gnu --mtime="@$commit_s" --owner=0 --group=0 --numeric-owner \
      --mode=u=rwX,go=rX -c "${tree##*/}" | gzip -9 -n >"$place/$file" && rm -r "$tree" &&
    (cd "$place" && sha512sum "$file" >"$file.sha512")
}

# What Hadoop calls its client (dist/hadoop/pom.xml), and its licences.
add_hadoop() { # checkout, tree of the tarball
  timeout --foreground -k 30s 20m mvn -B -ntp -q -f "$1/dist/hadoop/pom.xml" -Dhadoop.directory="$2/hadoop" package &&
    cp "$1"/dist/hadoop/licenses/* "$2/licenses" && cat "$1/dist/hadoop/NOTICE" >>"$2/NOTICE"
}

# Pages name files where a checkout has them. Those that a tarball does not have are named in words.
mend_links() { # checkout, tree of the tarball
  local others
  others=$(git -C "$1" ls-tree --name-only HEAD | grep -vxF "$(ls "$2")" | sed 's,\.,\\.,g' | paste -sd'|') || return
  find "$2" \( -name '*.md' -o -path '*/kubernetes/*' -o -path '*/helm/*.yaml' \) -type f -exec sed -i -zE \
    -e 's,dist/(hadoop/)?(bin|conf|helm|kubernetes|licenses|systemd)/,\2/,g' \
    -e 's,\[`([^]`]*)`\]\((\.\./)*(('"$others"')(/[^)]*)?)\),`\3` of the repository,g' \
    -e 's,\[([^]]*)\]\((\.\./)*(('"$others"')(/[^)]*)?)\),\1 (`\3` of the repository),g' {} +
}
