package io.sluice.spill.segment;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * Where the segments of a pool lie, by number: 0 is its directory or device, and then come the
 * directories of its disk tier. Processes name a segment to each other by such a number, its id and
 * its incarnation, never by a path: {@link SegmentName} says what its file is called, so that
 * nobody can have a file opened that is no segment, and a task that outlives a pool does not open
 * one of the next.
 *
 * <p>Thread contract: safe from any thread. Failure: {@link IOException} where a place was
 * announced by another process and is not this user's own; see {@link TrustedPath}.
 */
public final class PoolPaths {
  /** Of a pool on another node, whose files cannot be opened here: for messages. */
  public static final PoolPaths ELSEWHERE = new PoolPaths(new UUID(0, 0), null, List.of(), false);

  private static final String UNNAMED = "place-";

  private static final int UNKNOWN = 0;
  private static final int DIRECTORY = 1;
  private static final int DEVICE = 2;

  private final UUID poolId;
  private final Owner owner; // null where that is not told
  private final List<Path> places;
  private final boolean announced;
  private final AtomicIntegerArray kinds; // of those that were looked at

  private PoolPaths(UUID poolId, Owner owner, List<Path> places, boolean announced) {
    this.poolId = poolId;
    this.owner = owner;
    this.places = List.copyOf(places);
    this.announced = announced;
    this.kinds = new AtomicIntegerArray(places.size());
  }

  /**
   * Of the process that owns the pool.
   *
   * @param owner the user of that process
   */
  public static PoolPaths owned(UUID poolId, Owner owner, Path pool, List<Path> diskDirectories) {
    List<Path> places = new ArrayList<>();
    places.add(pool);
    places.addAll(diskDirectories);
    return new PoolPaths(poolId, owner, places, false);
  }

  /**
   * As the owner of the pool has announced them, the pool first.
   *
   * @throws IOException if the first is not this user's; others are checked when they are used
   */
  public static PoolPaths announced(UUID poolId, List<Path> places) throws IOException {
    if (places.isEmpty()) {
      throw new IOException("a pool without a place was announced");
    }
    PoolPaths announced = new PoolPaths(poolId, Owner.ofThisProcess(), places, true);
    announced.kind(0);
    return announced;
  }

  /** Of a pool whose files are handed over by its owner, and have no names here but in messages. */
  public static PoolPaths handedOver(UUID poolId) {
    return new PoolPaths(poolId, null, List.of(), false);
  }

  /** Whether its files can be opened by name here. */
  public boolean isNamed() {
    return !places.isEmpty();
  }

  /** All of them, by their numbers. */
  public List<Path> all() {
    return places;
  }

  /** The pool's directory or device. */
  public Path pool() {
    return places.get(0);
  }

  /** The number of the place where a segment of this pool lies. */
  public int numberOf(SegmentInfo segment) {
    if (!isNamed()) {
      return Integer.parseInt(segment.path().getParent().toString().substring(UNNAMED.length()));
    }
    if (segment.path().equals(pool())) {
      return 0; // a device
    }
    int number = places.indexOf(segment.path().getParent());
    if (number < 0) {
      throw new IllegalArgumentException(segment + " lies in none of " + places);
    }
    return number;
  }

  /** The file or device of a segment of this process's own user. */
  public Path path(int number, int segmentId, int incarnation) throws IOException {
    if (!isNamed()) {
      return Path.of(UNNAMED + number, "segment-" + segmentId + "-" + incarnation);
    }
    if (number >= places.size()) {
      throw new IOException("a segment in place " + number + " of a pool that has " + places);
    }
    Path place = places.get(number);
    return kind(number) == DEVICE
        ? place
        : place.resolve(SegmentName.of(poolId, segmentId, incarnation, owner).toString());
  }

  private int kind(int number) throws IOException {
    int kind = kinds.get(number);
    if (kind == UNKNOWN) {
      Path place = places.get(number);
      if (announced) {
        TrustedPath.require(place);
      }
      boolean device = Files.exists(place) && !Files.isDirectory(place);
      kind = device ? DEVICE : DIRECTORY;
      kinds.set(number, kind);
    }
    return kind;
  }
}
