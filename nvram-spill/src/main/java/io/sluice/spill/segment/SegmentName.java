package io.sluice.spill.segment;

import java.nio.file.Path;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What the file of a segment is called, on either tier, which is all that is known of it after a
 * restart:
 *
 * <pre>
 * segment-POOL-ID-INCARNATION-UID      UID is "free" while it is nobody's yet
 * </pre>
 *
 * @param pool as many digits of the pool's id as tell it from the one before it
 * @param segmentId unique in the pool
 * @param incarnation how many files of this id there were before it
 * @param owner empty if it is zeroed and nobody's
 */
public record SegmentName(String pool, int segmentId, int incarnation, Optional<Owner> owner) {
  private static final int POOL_DIGITS = 8;
  private static final String FREE = "free";
  private static final Pattern PATTERN =
      Pattern.compile("segment-([0-9a-f]{8})-(\\d{1,10})-(\\d{1,10})-(free|\\d{1,10})");

  /** Of a segment that is somebody's. */
  public static SegmentName of(UUID poolId, int segmentId, int incarnation, Owner owner) {
    return of(poolId, segmentId, incarnation, Optional.of(owner));
  }

  /** Of any segment of a pool. */
  public static SegmentName of(UUID poolId, int segmentId, int incarnation, Optional<Owner> owner) {
    return new SegmentName(digitsOf(poolId), segmentId, incarnation, owner);
  }

  /** What a file is called; empty if that is no segment. */
  public static Optional<SegmentName> parse(Path file) {
    Matcher name = PATTERN.matcher(file.getFileName().toString());
    if (!name.matches()) {
      return Optional.empty();
    }
    String uid = name.group(4);
    try {
      return Optional.of(
          new SegmentName(
              name.group(1),
              Integer.parseInt(name.group(2)),
              Integer.parseInt(name.group(3)),
              uid.equals(FREE)
                  ? Optional.empty()
                  : Optional.of(new Owner(Integer.parseUnsignedInt(uid)))));
    } catch (NumberFormatException e) {
      return Optional.empty(); // more than any of ours has
    }
  }

  /** Whether it is of that pool. */
  public boolean isOf(UUID poolId) {
    return pool.equals(digitsOf(poolId));
  }

  /** The file's name. */
  @Override
  public String toString() {
    return "segment-"
        + pool
        + "-"
        + segmentId
        + "-"
        + incarnation
        + "-"
        + owner.map(Owner::toString).orElse(FREE);
  }

  private static String digitsOf(UUID poolId) {
    return poolId.toString().substring(0, POOL_DIGITS);
  }
}
