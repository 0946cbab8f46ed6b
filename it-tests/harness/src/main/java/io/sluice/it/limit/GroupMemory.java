package io.sluice.it.limit;

/**
 * The memory of a group at one moment, in bytes.
 *
 * @param usedBytes all that counts against its bound
 * @param cacheBytes page cache, tmpfs among it
 * @param anonymousBytes heaps, stacks and the like
 * @param sharedBytes of tmpfs
 * @param mappedBytes page cache and tmpfs that a process has mapped
 */
public record GroupMemory(
    long usedBytes, long cacheBytes, long anonymousBytes, long sharedBytes, long mappedBytes) {

  /** What the kernel cannot take back where it has no swap. */
  public long unreclaimableBytes() {
    return anonymousBytes + sharedBytes;
  }
}
