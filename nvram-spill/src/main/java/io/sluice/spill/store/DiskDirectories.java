package io.sluice.spill.store;

import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.memory.SharedFile;
import io.sluice.spill.segment.PoolVisibility;
import io.sluice.spill.store.StoreConfig.DiskReserve;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The directories of the disk tier, each locked, and which of them work: one that does not is left
 * out, and one that does is enough.
 *
 * <p>Thread contract: guarded by the lock of the store; opened and closed by one thread. Once the
 * store runs, its {@link DiskThreads} do everything in it. Ownership: {@link PoolFiles} closes it.
 * Failure: a failure of a directory is logged unless it is the same as the last one. A directory
 * that failed at the start stays out until the next start. One that failed later may only have been
 * full, and is tried again after {@value #RETRY_PAUSE_MS} ms. One that hangs is used again when it
 * answers. A directory whose content the pool no longer agrees with is left behind, see {@link
 * DiskEpoch}. {@link IOException} only at the start, and only if none works: not even then in a
 * {@link PoolVisibility#PRIVATE} pool, whose process has chosen no directory for it and does
 * without.
 */
final class DiskDirectories implements Closeable {
  static final long RETRY_PAUSE_MS = 10_000;

  /** So little that sums with it do not overflow: more than there is counts as that. */
  private static final long MOST_BYTES = Long.MAX_VALUE / 4;

  private static final Logger LOG = LoggerFactory.getLogger(DiskDirectories.class);

  private final List<Directory> directories = new ArrayList<>();
  private final PoolVisibility use;
  private final LongSupplier nanoTime;
  private boolean saidNone;

  /** One of them. */
  private static final class Directory {
    private final Path path;
    private final DiskThreads threads;
    private final DirectorySpace space;
    private LockedDirectory locked; // null: it is not to be used
    private SharedFile epoch; // kept open: another file system may come to lie over the path
    private boolean behind; // it is emptied at the next start
    private String failure = ""; // none: it works
    private String lastSaid = "";
    private long failedNs;
    private long failures;
    private String fileSystem = ""; // as it was when it was asked last

    Directory(Path path, DiskThreads threads) {
      this.path = path;
      this.threads = threads;
      this.space = new DirectorySpace(path);
    }

    LockedDirectory lock(PoolVisibility use) throws IOException {
      threads.start();
      return threads
          .files()
          .callPatiently(() -> LockedDirectory.open(path, use), Directory::unlock);
    }

    static void unlock(LockedDirectory locked) {
      try {
        locked.close();
      } catch (IOException e) {
        LOG.warn("The lock of {} could not be dropped", locked.path(), e);
      }
    }

    DiskThread.Asked<Boolean> follow(DiskEpoch following, boolean forced) throws IOException {
      return threads
          .marks()
          .ask(
              () -> {
                if (epoch == null) {
                  epoch = DiskEpoch.open(path);
                }
                following.write(epoch, forced);
                return true;
              });
    }
  }

  /**
   * One with room.
   *
   * @param path the directory
   * @param usableBytes what its file system has left for us and has not been promised
   * @param allBytes the same of the file systems of all directories that work
   */
  record Room(Path path, long usableBytes, long allBytes) {}

  /** Work on each directory at the start. */
  interface Work {
    void on(LockedDirectory directory) throws IOException;
  }

  /**
   * Locks what can be locked.
   *
   * @param nanoTime is a clock as {@link System#nanoTime} is one
   * @param timeoutMs how long a directory has for its answer
   */
  DiskDirectories(List<Path> paths, PoolVisibility use, LongSupplier nanoTime, long timeoutMs) {
    this.use = use;
    this.nanoTime = nanoTime;
    AtomicInteger hanging = new AtomicInteger();
    try {
      for (Path path : paths) {
        directories.add(new Directory(path, DiskThreads.of(path, timeoutMs, hanging)));
      }
      directories.forEach(this::lock);
    } catch (RuntimeException | Error e) {
      Closer.after(e, this);
      throw e;
    }
  }

  private void lock(Directory directory) {
    try {
      directory.locked = directory.lock(use);
    } catch (IOException e) {
      failed(directory, e);
    }
  }

  /**
   * Does the work on each that works; those on which it fails are left out. Without a deadline, for
   * the start: as much may have to be deleted as there is.
   */
  void onEach(Work work) {
    for (Directory directory : directories) {
      if (directory.locked != null) {
        try {
          work.on(directory.locked);
        } catch (IOException e) {
          failed(directory, e);
          leaveOut(directory);
        }
      }
    }
  }

  /**
   * Has each that is used and not left behind follow; those that fail are left behind now.
   *
   * @param forced where the pool outlives the loss of power
   * @return whether all of them follow
   */
  boolean keepUp(DiskEpoch following, boolean forced) {
    Collection<Directory> working =
        directories.stream()
            .filter(directory -> directory.locked != null && !directory.behind)
            .toList();
    Map<Directory, Boolean> done =
        askAll(
            working,
            directory -> directory.follow(following, forced),
            directory -> directory.behind = true);
    return done.size() == working.size();
  }

  /** Asks of one directory. */
  private interface Question<T> {
    DiskThread.Asked<T> of(Directory directory) throws IOException;
  }

  /** Asks all at once and waits for them together; those that fail have no answer. */
  private <T> Map<Directory, T> askAll(
      Collection<Directory> whom, Question<T> question, Consumer<Directory> onFailure) {
    Map<Directory, DiskThread.Asked<T>> asked = new LinkedHashMap<>();
    for (Directory directory : whom) {
      try {
        asked.put(directory, question.of(directory));
      } catch (IOException e) {
        failed(directory, e);
        onFailure.accept(directory);
      }
    }
    Map<Directory, T> answers = new LinkedHashMap<>();
    asked.forEach(
        (directory, answer) -> {
          try {
            answers.put(directory, answer.await(directory.threads.timeoutMs()));
          } catch (IOException e) {
            failed(directory, e);
            onFailure.accept(directory);
          }
        });
    return answers;
  }

  /** No later start believes that directory; returns whether that is new. */
  boolean leaveBehind(Path path) {
    boolean isNew = false;
    for (Directory directory : directories) {
      if (directory.path.equals(path)) {
        isNew |= !directory.behind;
        directory.behind = true;
      }
    }
    return isNew;
  }

  /** Some work, or none are configured, or the pool does without; see above. */
  void requireOne(String setting) throws IOException {
    if (!directories.isEmpty() && directories.stream().allMatch(each -> each.locked == null)) {
      String message =
          "no directory of the disk tier can be used:" + reasons() + "; see " + setting;
      if (use == PoolVisibility.ANNOUNCED) {
        throw new IOException(message);
      }
      if (!saidNone) {
        LOG.warn("What has no room in memory has none at all: {}", message);
        saidNone = true;
      }
    }
  }

  /**
   * The one with most room of those that work now and have not been tried in vain already.
   *
   * @param promisedBytes by directory, what is leased there and counts as free to its file system
   * @param reserve what is left to others on each file system
   */
  Optional<Room> roomiest(Set<Path> tried, Map<Path, Long> promisedBytes, DiskReserve reserve) {
    Collection<Directory> working =
        directories.stream()
            .filter(directory -> mayWork(directory) && !tried.contains(directory.path))
            .toList();
    Map<Directory, DirectorySpace.Free> answers =
        askAll(
            working,
            directory -> directory.threads.room().ask(directory.space::free),
            directory -> {});
    answers.forEach((directory, space) -> directory.fileSystem = space.fileSystem());
    Path best = null; // the first of those with most
    long bestBytes = 0;
    Map<String, Long> byFileSystem = new HashMap<>();
    for (Map.Entry<Directory, DirectorySpace.Free> answer : answers.entrySet()) {
      String fileSystem = answer.getKey().fileSystem;
      long freeBytes = answer.getValue().bytes() - promisedBytes(fileSystem, promisedBytes);
      long reserveBytes = reserve.bytesOf(answer.getValue().sizeBytes());
      long usableBytes = Math.max(0, Math.min(freeBytes - reserveBytes, MOST_BYTES));
      byFileSystem.merge(fileSystem, usableBytes, Math::max); // a volume may have a quota
      if (best == null || usableBytes > bestBytes) {
        best = answer.getKey().path;
        bestBytes = usableBytes;
      }
    }
    long allBytes = sumBytes(byFileSystem.values());
    return best == null ? Optional.empty() : Optional.of(new Room(best, bestBytes, allBytes));
  }

  /** Of what several have left. */
  static long sumBytes(Collection<Long> each) {
    return each.stream().reduce(0L, (sum, bytes) -> Math.min(sum + bytes, MOST_BYTES));
  }

  /** Of one file system, on which several directories may lie. */
  private long promisedBytes(String fileSystem, Map<Path, Long> byDirectory) {
    return directories.stream()
        .filter(directory -> directory.fileSystem.equals(fileSystem))
        .mapToLong(directory -> byDirectory.getOrDefault(directory.path, 0L))
        .sum();
  }

  /** Which do everything in that one. */
  DiskThreads threads(Path path) {
    return at(path).findFirst().orElseThrow().threads;
  }

  private Stream<Directory> at(Path path) {
    return directories.stream().filter(directory -> directory.path.equals(path));
  }

  /** That one could not be written to. */
  void failed(Path path, IOException cause) {
    at(path).forEach(directory -> failed(directory, cause));
  }

  /** How often that one could not. */
  long failures(Path path) {
    return at(path).mapToLong(directory -> directory.failures).sum();
  }

  /**
   * That one could be written to.
   *
   * @param failures of its when that was begun: it may have failed meanwhile
   */
  void worked(Path path, long failures) {
    for (Directory directory : directories) {
      if (directory.path.equals(path)
          && directory.failures == failures
          && !directory.failure.isEmpty()) {
        LOG.info("Directory {} of the disk tier works again", path);
        directory.failure = "";
        directory.lastSaid = "";
      }
    }
  }

  /** Of those that are used now. */
  List<DiskThreads> working() {
    return directories.stream().filter(this::mayWork).map(each -> each.threads).toList();
  }

  /** How many are left out now. */
  int failedCount() {
    return (int) directories.stream().filter(each -> !each.failure.isEmpty()).count();
  }

  /** Why some are left out, for messages; empty if none is. */
  String reasons() {
    StringBuilder text = new StringBuilder();
    for (Directory directory : directories) {
      if (!directory.failure.isEmpty()) {
        text.append(" (left out ").append(directory.path).append(": ");
        text.append(directory.failure).append(')');
      }
    }
    return text.toString();
  }

  /** Whether that one is used now. */
  boolean mayWork(Path path) {
    return at(path).anyMatch(this::mayWork);
  }

  private boolean mayWork(Directory directory) {
    return directory.locked != null
        && !directory.threads.hang()
        && (directory.failure.isEmpty()
            || nanoTime.getAsLong() - directory.failedNs
                >= TimeUnit.MILLISECONDS.toNanos(RETRY_PAUSE_MS));
  }

  private void failed(Directory directory, IOException cause) {
    directory.failure = cause.toString();
    directory.failedNs = nanoTime.getAsLong();
    directory.failures++;
    if (!directory.failure.equals(directory.lastSaid)) {
      LOG.warn("Directory {} of the disk tier is left out", directory.path, cause);
      directory.lastSaid = directory.failure;
    }
  }

  private static void leaveOut(Directory directory) {
    LockedDirectory locked = directory.locked;
    directory.locked = null;
    try {
      directory.threads.afterAll(() -> Closer.all(directory.epoch, locked));
    } catch (IOException e) {
      LOG.warn("The lock of {} could not be dropped", directory.path, e);
    }
  }

  @Override
  public void close() {
    for (Directory directory : directories) {
      if (directory.locked != null) {
        leaveOut(directory);
      }
      directory.threads.close();
    }
  }
}
