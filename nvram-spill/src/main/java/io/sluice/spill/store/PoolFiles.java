package io.sluice.spill.store;

import io.sluice.rdma.memory.Closer;
import io.sluice.spill.segment.Owner;
import io.sluice.spill.segment.SegmentName;
import io.sluice.spill.store.PoolHeader.OtherFormatException;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The directories or the device of one pool, locked, and the header of the pool: either those of a
 * former store, to be recovered, or empty ones.
 *
 * <p>Thread contract: one thread. Ownership: the store closes it last. Failure: {@link IOException}
 * when one of them is in use, or holds a pool of another geometry.
 */
final class PoolFiles implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(PoolFiles.class);

  /** More than twice what a segment has between two losses of the memory. */
  private static final int INCARNATIONS_OF_A_LIFE = 1 << 22;

  /** So that no incarnation is more than an int; then the pool begins anew. */
  private static final int MOST_LIVES = Integer.MAX_VALUE / INCARNATIONS_OF_A_LIFE - 1;

  private final PoolSpace space;
  private final DiskDirectories diskDirectories;
  private final Path directory;
  private final boolean persistent;
  private final Owner owner;
  private PoolHeader header;
  private GenerationCounter generations;
  private LeaseMarks leaseMarks;
  private boolean recovered;
  private boolean epochDue;

  private PoolFiles(
      PoolSpace space,
      DiskDirectories diskDirectories,
      Path directory,
      boolean persistent,
      Owner owner) {
    this.space = space;
    this.directory = directory;
    this.owner = owner;
    this.persistent = persistent;
    this.diskDirectories = diskDirectories;
  }

  static PoolFiles open(StoreConfig config, PoolSpace.Opener opener) throws IOException {
    Owner owner = Owner.ofThisProcess();
    PoolSpace space = opener.open(config);
    PoolFiles files =
        new PoolFiles(
            space,
            new DiskDirectories(
                config.diskDirectories(), config.use(), System::nanoTime, config.diskTimeoutMs()),
            config.directory(),
            config.medium().isPersistent(),
            owner);
    try {
      Optional<String> cause = config.medium().unavailabilityCause(config.directory());
      if (cause.isPresent()) {
        throw new IOException("medium " + config.medium().name() + ": " + cause.get());
      }
      String setting = config.settingNames().diskDirectories();
      files.diskDirectories.requireOne(setting);
      files.load(config);
      files.diskDirectories.requireOne(setting);
      return files;
    } catch (IOException | RuntimeException | Error e) {
      files.close();
      throw e;
    }
  }

  UUID poolId() {
    return header.poolId();
  }

  /** The user of the store's process. */
  Owner owner() {
    return owner;
  }

  GenerationCounter generations() {
    return generations;
  }

  LeaseMarks leaseMarks() {
    return leaseMarks;
  }

  /** Whether there is anything of a former store. */
  boolean isRecovered() {
    return recovered;
  }

  /** The directory or device of the memory tier. */
  PoolSpace memory() {
    return space;
  }

  /** The files of the disk tier that a former store left. */
  List<Path> diskSegments() {
    List<Path> segments = new ArrayList<>();
    diskDirectories.onEach(
        directory -> {
          for (SegmentName name : directory.segments(poolId())) {
            segments.add(directory.path().resolve(name.toString()));
          }
        });
    return segments;
  }

  /**
   * Begins an epoch of the disk tier: from now on only directories that can be written to are
   * believed at a later start. The pool learns of it last: until then the directories are ahead of
   * it, and nothing has been reused that would make them wrong.
   */
  void beginEpoch() throws IOException {
    epochDue = true;
    long epoch;
    DiskEpoch following;
    do { // again if one failed: it may have been written to before, and must not be believed for it
      epoch = generations.next();
      following = DiskEpoch.of(poolId(), epoch, directory);
    } while (!keptUp(following));
    generations.setDiskEpoch(epoch);
    epochDue = false;
  }

  private boolean keptUp(DiskEpoch following) {
    return diskDirectories.keepUp(following, persistent);
  }

  /** Whether one could not be begun, so that it has to be tried again. */
  boolean isEpochDue() {
    return epochDue;
  }

  /** The directories of the disk tier. */
  DiskDirectories disk() {
    return diskDirectories;
  }

  private void load(StoreConfig config) throws IOException {
    Optional<PoolHeader> former = former(config);
    if (former.isPresent()) {
      header = former.get();
      header.check(config);
      recovered = true;
    } else {
      makeNew(config);
    }
    generations = GenerationCounter.open(space.generation(), config.directory());
    leaseMarks = new LeaseMarks(space.leaseMarks(), config);
    if (recovered) {
      long epoch = generations.diskEpoch();
      diskDirectories.onEach(directory -> takeBack(directory, epoch));
    }
  }

  private void makeNew(StoreConfig config) throws IOException {
    Optional<DiskEpoch> lost = config.recover() ? lostPool(config) : Optional.empty();
    space.clear();
    if (lost.isPresent()) {
      goOn(lost.get(), config);
      return;
    }
    diskDirectories.onEach(LockedDirectory::clear);
    header = new PoolHeader(UUID.randomUUID(), config.segmentBytes(), config.blockBytes());
    space.format(header);
  }

  /**
   * The pool that was here, whose memory is lost while its directories of the disk tier are not.
   * Those that had followed it furthest tell; they may all have been left behind, and then hold
   * outputs that have been freed since, but whole ones. If they tell of two pools nobody knows
   * which one was the last.
   */
  private Optional<DiskEpoch> lostPool(StoreConfig config) {
    if (!config.copiesOutputs() || !space.outlivesLoss()) {
      return Optional.empty();
    }
    List<DiskEpoch> said = new ArrayList<>();
    diskDirectories.onEach(
        each -> DiskEpoch.read(each.path()).filter(it -> it.isOf(directory)).ifPresent(said::add));
    if (said.stream().map(DiskEpoch::poolId).distinct().count() > 1) {
      LOG.warn("The memory of the pool at {} is lost, and so are two pools on disk", directory);
      return Optional.empty();
    }
    return said.stream()
        .max(Comparator.comparingLong(DiskEpoch::epoch))
        .filter(it -> GenerationCounter.livesBefore(it.epoch()) < MOST_LIVES);
  }

  /** Has the same id, and nothing else that it ever had; the header comes last and makes it so. */
  private void goOn(DiskEpoch lost, StoreConfig config) throws IOException {
    LOG.warn("The memory of the pool at {} is lost; looking for its outputs on disk", directory);
    try (MetaArea area = space.generation()) {
      GenerationCounter.goOn(area, lost.epoch());
    }
    int lives = (int) GenerationCounter.livesBefore(lost.epoch()) + 1;
    int drawn = ThreadLocalRandom.current().nextInt(INCARNATIONS_OF_A_LIFE / 2); // see goOn
    header =
        new PoolHeader(
            lost.poolId(),
            config.segmentBytes(),
            config.blockBytes(),
            lives * INCARNATIONS_OF_A_LIFE + drawn);
    space.format(header);
    recovered = true;
  }

  /**
   * The pool that is to be recovered; one that cannot be understood is made again by its engines.
   */
  private Optional<PoolHeader> former(StoreConfig config) throws IOException {
    if (!config.recover()) {
      return Optional.empty();
    }
    try {
      return space.header();
    } catch (OtherFormatException e) {
      if (!space.renewsMemory()) {
        throw e;
      }
      LOG.warn("A pool of another release is emptied: {}", e.getMessage());
      return Optional.empty();
    }
  }

  /** Believes a directory that has followed the pool since, and empties any other. */
  private void takeBack(LockedDirectory directory, long epoch) throws IOException {
    directory.deleteTemporaries();
    boolean followed =
        DiskEpoch.read(directory.path())
            .filter(said -> said.poolId().equals(poolId()) && said.epoch() >= epoch)
            .isPresent();
    if (!followed) {
      long files =
          directory.files().stream().filter(file -> SegmentName.parse(file).isPresent()).count();
      if (files > 0) {
        LOG.warn(
            "Emptied {} of {} files: the pool went on without it, or is another one",
            directory.path(),
            files);
      }
      directory.clear();
    }
  }

  @Override
  public void close() throws IOException {
    Closer.all(generations, leaseMarks, diskDirectories, space);
  }
}
