package io.sluice.spill.store;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * The places of one pool, locked, with its header: either those of a former store, to be recovered,
 * or empty ones.
 *
 * <p>Thread contract: one thread. Ownership: the store closes it last. Failure: {@link IOException}
 * when a place is in use or holds a pool of another geometry.
 */
final class PoolFiles implements Closeable {
  private final PoolSpace space;
  private final DiskDirectories diskDirectories;
  private PoolHeader header;
  private GenerationCounter generations;
  private LeaseMarks leaseMarks;
  private boolean recovered;

  private PoolFiles(PoolSpace space, DiskDirectories diskDirectories) {
    this.space = space;
    this.diskDirectories = diskDirectories;
  }

  static PoolFiles open(StoreConfig config, PoolSpace.Opener opener) throws IOException {
    PoolSpace space = opener.open(config);
    PoolFiles files =
        new PoolFiles(
            space, new DiskDirectories(config.diskDirectories(), config.use(), System::nanoTime));
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

  /** The place of the memory tier. */
  PoolSpace memory() {
    return space;
  }

  /** The files of the disk tier that a former store left. */
  List<Path> diskSegments() {
    List<Path> segments = new ArrayList<>();
    diskDirectories.onEach(
        directory -> {
          for (int segmentId : SegmentNames.idsIn(directory)) {
            segments.add(directory.path().resolve(SegmentNames.of(segmentId)));
          }
        });
    return segments;
  }

  /** The places of the disk tier. */
  DiskDirectories disk() {
    return diskDirectories;
  }

  private void load(StoreConfig config) throws IOException {
    Optional<PoolHeader> former = config.recover() ? space.header() : Optional.empty();
    if (former.isPresent()) {
      header = former.get();
      header.check(config);
      recovered = true;
      diskDirectories.onEach(PrivateDirectory::deleteTemporaries);
    } else {
      space.clear();
      diskDirectories.onEach(PrivateDirectory::clear);
      header = new PoolHeader(UUID.randomUUID(), config.segmentBytes(), config.blockBytes());
      space.format(header);
    }
    generations = GenerationCounter.open(space.generation(), config.directory());
    leaseMarks = new LeaseMarks(space.leaseMarks(), config);
  }

  @Override
  public void close() throws IOException {
    if (generations != null) {
      generations.close();
    }
    if (leaseMarks != null) {
      leaseMarks.close();
    }
    diskDirectories.close();
    space.close();
  }
}
