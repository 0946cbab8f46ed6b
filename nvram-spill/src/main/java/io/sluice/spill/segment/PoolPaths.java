package io.sluice.spill.segment;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * The paths of a pool by number: 0 is its directory or device, then come the directories of its
 * disk tier. Processes name a segment to each other by such a number, its id and its incarnation,
 * never by a path. {@link SegmentName} gives the file's name. So no process can be made to open a
 * file that is no segment, and a task that outlives a pool does not open a segment of the next
 * pool.
 *
 * <p>Thread contract: safe from any thread. Failure: {@link IOException} if a path was announced by
 * another process and is not this user's own; see {@link TrustedPath}.
 */
public final class PoolPaths {
  /** Paths of a pool on another node, whose files cannot be opened here: for messages. */
  public static final PoolPaths ELSEWHERE = new PoolPaths(new UUID(0, 0), null, List.of(), false);

  private static final String UNNAMED = "place-";

  private static final int UNKNOWN = 0;
  private static final int DIRECTORY = 1;
  private static final int DEVICE = 2;

  private final UUID poolId;
  private final Owner owner; // null if it is not known
  private final List<Path> paths;
  private final boolean announced;
  private final AtomicIntegerArray kinds; // of paths that were checked

  private PoolPaths(UUID poolId, Owner owner, List<Path> paths, boolean announced) {
    this.poolId = poolId;
    this.owner = owner;
    this.paths = List.copyOf(paths);
    this.announced = announced;
    this.kinds = new AtomicIntegerArray(paths.size());
  }

  /**
   * Paths of a pool that this process owns.
   *
   * @param owner the user of that process
   */
  public static PoolPaths owned(UUID poolId, Owner owner, Path pool, List<Path> diskDirectories) {
    List<Path> paths = new ArrayList<>();
    paths.add(pool);
    paths.addAll(diskDirectories);
    return new PoolPaths(poolId, owner, paths, false);
  }

  /**
   * Paths that the owner of a pool has announced, the pool first.
   *
   * @throws IOException if the first is not this user's; others are checked when they are used
   */
  public static PoolPaths announced(UUID poolId, List<Path> paths) throws IOException {
    if (paths.isEmpty()) {
      throw new IOException("a pool without a path was announced");
    }
    PoolPaths announced = new PoolPaths(poolId, Owner.ofThisProcess(), paths, true);
    announced.kind(0);
    return announced;
  }

  /** Paths of a pool whose owner passes open files; their names are for messages only. */
  public static PoolPaths handedOver(UUID poolId) {
    return new PoolPaths(poolId, null, List.of(), false);
  }

  /** Whether the pool's files can be opened by name here. */
  public boolean isNamed() {
    return !paths.isEmpty();
  }

  /** All paths, by their numbers. */
  public List<Path> all() {
    return paths;
  }

  /** The pool's directory or device. */
  public Path pool() {
    return paths.get(0);
  }

  /** The number of the path below which a segment of this pool lies. */
  public int numberOf(SegmentInfo segment) {
    if (!isNamed()) {
      return Integer.parseInt(segment.path().getParent().toString().substring(UNNAMED.length()));
    }
    if (segment.path().equals(pool())) {
      return 0; // a device
    }
    int number = paths.indexOf(segment.path().getParent());
    if (number < 0) {
      throw new IllegalArgumentException(segment + " lies in none of " + paths);
    }
    return number;
  }

  /** The file or device of a segment of this process's own user. */
  public Path path(int number, int segmentId, int incarnation) throws IOException {
    if (!isNamed()) {
      return Path.of(UNNAMED + number, "segment-" + segmentId + "-" + incarnation);
    }
    if (number >= paths.size()) {
      throw new IOException("a segment at path number " + number + " of a pool that has " + paths);
    }
    Path path = paths.get(number);
    return kind(number) == DEVICE
        ? path
        : path.resolve(SegmentName.of(poolId, segmentId, incarnation, owner).toString());
  }

  private int kind(int number) throws IOException {
    int kind = kinds.get(number);
    if (kind == UNKNOWN) {
      Path path = paths.get(number);
      if (announced) {
        TrustedPath.require(path);
      }
      boolean device = Files.exists(path) && !Files.isDirectory(path);
      kind = device ? DEVICE : DIRECTORY;
      kinds.set(number, kind);
    }
    return kind;
  }
}
