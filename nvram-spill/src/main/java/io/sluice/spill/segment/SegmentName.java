package io.sluice.spill.segment;

import java.nio.file.Path;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The name of a segment's file, on either tier. After a restart nothing else is known of the
 * segment.
 *
 * <pre>
 * segment-POOL-ID-INCARNATION-UID      UID is "free" while it has no owner
 * </pre>
 *
 * @param pool the first digits of the pool's id, which tell it from the pool before it
 * @param segmentId unique in the pool
 * @param incarnation number of files with this id before it
 * @param owner empty if it is zeroed and free
 */
public record SegmentName(String pool, int segmentId, int incarnation, Optional<Owner> owner) {
  private static final int POOL_DIGITS = 8;
  private static final String FREE = "free";
  private static final Pattern PATTERN =
      Pattern.compile("segment-([0-9a-f]{8})-(\\d{1,10})-(\\d{1,10})-(free|\\d{1,10})");

  /** The name of an owner's segment. */
  public static SegmentName of(UUID poolId, int segmentId, int incarnation, Owner owner) {
    return of(poolId, segmentId, incarnation, Optional.of(owner));
  }

  /** The name of any segment of a pool. */
  public static SegmentName of(UUID poolId, int segmentId, int incarnation, Optional<Owner> owner) {
    return new SegmentName(digitsOf(poolId), segmentId, incarnation, owner);
  }

  /** Parses a file's name; empty if it is no segment. */
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
      return Optional.empty(); // larger than any number in a segment's name
    }
  }

  /** Whether it belongs to that pool. */
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
