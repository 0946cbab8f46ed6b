package io.sluice.spill.store;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * The directories of one pool, locked, with their header: either those of a former store, to be
 * recovered, or empty ones.
 *
 * <p>Thread contract: one thread. Ownership: the store closes it last. Failure: {@link IOException}
 * when a directory is in use or holds a pool of another geometry.
 */
final class PoolFiles implements Closeable {
  private final List<PrivateDirectory> directories = new ArrayList<>();
  private PoolHeader header;
  private GenerationCounter generations;
  private LeaseMarks leaseMarks;
  private boolean recovered;

  private PoolFiles() {}

  static PoolFiles open(StoreConfig config) throws IOException {
    PoolFiles files = new PoolFiles();
    try {
      files.lock(config);
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

  /** The segments of the memory tier that a former store left, by file. */
  List<Path> memorySegments() throws IOException {
    return segments(directories.get(0));
  }

  /** The files of the disk tier that a former store left. */
  List<Path> diskSegments() throws IOException {
    List<Path> segments = new ArrayList<>();
    for (PrivateDirectory directory : directories.subList(1, directories.size())) {
      segments.addAll(segments(directory));
    }
    return segments;
  }

  private void lock(StoreConfig config) throws IOException {
    directories.add(PrivateDirectory.open(config.directory()));
    for (Path directory : config.diskDirectories()) {
      directories.add(PrivateDirectory.open(directory));
    }
  }

  private void load(StoreConfig config) throws IOException {
    Optional<PoolHeader> former =
        config.recover() ? PoolHeader.read(config.directory()) : Optional.empty();
    if (former.isPresent()) {
      header = former.get();
      header.check(config);
      generations = GenerationCounter.open(config.directory());
      leaseMarks = LeaseMarks.open(config);
      recovered = true;
      deleteTemporaries();
      return;
    }
    PoolHeader.delete(config.directory());
    for (PrivateDirectory directory : directories) {
      for (Path file : directory.files()) {
        Files.delete(file);
      }
    }
    generations = GenerationCounter.create(config.directory());
    leaseMarks = LeaseMarks.create(config);
    header = new PoolHeader(UUID.randomUUID(), config.segmentBytes(), config.blockBytes());
    header.write(config.directory());
  }

  private void deleteTemporaries() throws IOException {
    for (PrivateDirectory directory : directories) {
      for (Path file : directory.files()) {
        if (file.toString().endsWith(".tmp")) {
          Files.delete(file);
        }
      }
    }
  }

  private static List<Path> segments(PrivateDirectory directory) throws IOException {
    return directory.files().stream()
        .filter(file -> SegmentCreator.segmentId(file) >= 0)
        .sorted()
        .toList();
  }

  @Override
  public void close() throws IOException {
    if (generations != null) {
      generations.close();
    }
    if (leaseMarks != null) {
      leaseMarks.close();
    }
    for (PrivateDirectory directory : directories) {
      directory.close();
    }
  }
}
