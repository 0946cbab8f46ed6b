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
  private final List<PrivateDirectory> diskDirectories = new ArrayList<>();
  private PoolHeader header;
  private GenerationCounter generations;
  private LeaseMarks leaseMarks;
  private boolean recovered;

  private PoolFiles(PoolSpace space) {
    this.space = space;
  }

  static PoolFiles open(StoreConfig config, PoolSpace.Opener opener) throws IOException {
    PoolFiles files = new PoolFiles(opener.open(config));
    try {
      for (Path directory : config.diskDirectories()) {
        files.diskDirectories.add(PrivateDirectory.open(directory));
      }
      Optional<String> cause = config.medium().unavailabilityCause(config.directory());
      if (cause.isPresent()) {
        throw new IOException("medium " + config.medium().name() + ": " + cause.get());
      }
      files.load(config);
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
  List<Path> diskSegments() throws IOException {
    List<Path> segments = new ArrayList<>();
    for (PrivateDirectory directory : diskDirectories) {
      for (int segmentId : SegmentNames.idsIn(directory)) {
        segments.add(directory.path().resolve(SegmentNames.of(segmentId)));
      }
    }
    return segments;
  }

  private void load(StoreConfig config) throws IOException {
    Optional<PoolHeader> former = config.recover() ? space.header() : Optional.empty();
    if (former.isPresent()) {
      header = former.get();
      header.check(config);
      recovered = true;
      for (PrivateDirectory directory : diskDirectories) {
        directory.deleteTemporaries();
      }
    } else {
      space.clear();
      for (PrivateDirectory directory : diskDirectories) {
        directory.clear();
      }
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
    for (PrivateDirectory directory : diskDirectories) {
      directory.close();
    }
    space.close();
  }
}
