# Builds the image of the node service without a container engine, into target/images. It is part of ./sluice.

images=$root/target/images

# The names of an architecture in images and in Debian.
own_architecture() {
  case $(uname -m) in
    x86_64) echo amd64 ;;
    aarch64) echo arm64 ;;
    *) uname -m ;;
  esac
}

runs_here() { # architecture
  [ "$1" = "$(own_architecture)" ] || arch-test "$1" >/dev/null 2>&1
}

# Debian's own base of images comes from a registry. Here it is made of Debian's packages, and the rest is the Dockerfile's.
make_images() { # architecture
  local architecture=$1 work=$images/work version image archive container store
  version=$(release_of "$root") image=localhost/sluice-node:$version
  archive=$images/sluice-node-$version-$architecture.tar
  is_root || die "images needs root, since it unpacks the files of other users; with a container engine, see dist/images/node/Dockerfile"
  command -v buildah >/dev/null && command -v mmdebstrap >/dev/null || die "images needs buildah and mmdebstrap, and --install installs them"
  runs_here "$architecture" || die "programs of $architecture do not run here; Debian's packages arch-test, binfmt-support and qemu-user-static emulate them"
  rm -rf "$work" "$archive"
  mkdir -p "$work"
  store=(buildah --root "$work/store" --runroot "$work/run" --storage-driver vfs)
  trap 'rm -rf "$images/work"' EXIT

  echo "Building $image for $architecture; some minutes, and Debian's packages are a download of 100 MB ..."
  {
    timeout --foreground -k 30s 15m mmdebstrap --quiet --variant=apt --architectures="$architecture" \
      --customize-hook='rm -f "$1/etc/hostname" "$1/etc/resolv.conf"' bookworm "$work/base.tar" && # of this machine
      container=$("${store[@]}" from --arch "$architecture" scratch) &&
      "${store[@]}" add --quiet "$container" "$work/base.tar" / &&
      "${store[@]}" commit --quiet --rm "$container" localhost/debian:12 &&
      timeout --foreground -k 30s 15m "${store[@]}" build --isolation chroot --pull-never --layers=false --arch "$architecture" \
        --build-arg BASE=localhost/debian:12 --build-arg VERSION="$version" \
        --build-arg REVISION="$(git -C "$root" describe --always --dirty --abbrev=40 2>/dev/null || echo unknown)" \
        -t "$image" -f "$root/dist/images/node/Dockerfile" "$root" &&
      "${store[@]}" push --quiet "$image" "oci-archive:$archive:sluice-node:$version"
  } >"$root/target/sluice-images.log" 2>&1 || {
    tail -n 40 "$root/target/sluice-images.log" >&2
    die "the image was not built; the whole output is in target/sluice-images.log"
  }
  echo "The image is in target/images/${archive##*/}; podman load and skopeo copy read it."
}
