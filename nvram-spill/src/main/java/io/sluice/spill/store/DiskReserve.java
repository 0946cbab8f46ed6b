package io.sluice.spill.store;

/**
 * What the disk tier leaves free on each of its file systems: so many bytes above the larger of a
 * share of its size and a least number of bytes, from which on somebody else calls it full.
 *
 * @param aboveBytes what that one's own writing may take before
 * @param fullBytes how much is free where that one calls it full
 * @param fullShare the same, as a share of the size
 */
public record DiskReserve(long aboveBytes, long fullBytes, double fullShare) {
  public DiskReserve {
    if (aboveBytes < 0 || fullBytes < 0 || !(fullShare >= 0 && fullShare <= 1)) {
      throw new IllegalArgumentException(
          "the disk tier cannot leave %s bytes above %s and above %s of a disk"
              .formatted(aboveBytes, fullBytes, fullShare));
    }
  }

  /** So many bytes, however large the file system is. */
  public static DiskReserve of(long bytes) {
    return new DiskReserve(bytes, 0, 0);
  }

  /** The bytes of a file system of that size that are not for the tier. */
  long bytesOf(long sizeBytes) {
    return aboveBytes + Math.max(fullBytes, (long) Math.ceil(fullShare * sizeBytes));
  }

  @Override
  public String toString() {
    return fullBytes == 0 && fullShare == 0
        ? aboveBytes + " bytes"
        : "%s bytes above the larger of %s bytes and %s of the disk"
            .formatted(aboveBytes, fullBytes, fullShare);
  }
}
