package io.sluice.spill.store;

/**
 * How much the disk tier leaves free on each of its file systems, for another program that calls a
 * file system full when little is left: so many bytes more than that. The little is the larger of a
 * number of bytes and a share of the size.
 *
 * @param aboveBytes how much more is left free, for what the other program writes before
 * @param fullBytes how many free bytes the other program calls full
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
