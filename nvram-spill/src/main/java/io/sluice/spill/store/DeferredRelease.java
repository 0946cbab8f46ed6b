package io.sluice.spill.store;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The work that is left when something was given back. Disks are slow, so the store decides under
 * its lock what they have to do, and {@link ReleaseOperations} does it after the lock. The {@link
 * MemoryArbiter} is told once for many outputs.
 *
 * <p>Thread contract: one thread. Failure: none of its own.
 */
final class DeferredRelease {
  /** The message of a failure to give something back. */
  static final String NOT_ALL = "not everything could be given back";

  private final List<DiskSegment> retired = new ArrayList<>();
  private final Map<DiskSegment, Long> cuts = new LinkedHashMap<>();
  private final List<Marked> marked = new ArrayList<>();
  private final Map<String, Long> freedBytes = new LinkedHashMap<>();

  /** Gives back blocks, under the lock of the store. */
  interface Step {
    void run(DeferredRelease givenBack) throws IOException;
  }

  /**
   * A location on disk that nobody finds any more.
   *
   * @param blocks is run once its mark is cleared: until then the mark claims them
   */
  record Marked(OutputLocation location, Step blocks) {}

  /** Nothing of this segment is left, and nobody knows it any more. */
  void retire(DiskSegment segment) {
    cuts.remove(segment);
    retired.add(segment);
  }

  /** Nothing of this file is left behind there. */
  void cut(DiskSegment segment, long endBytes) {
    cuts.put(segment, endBytes);
  }

  /** The mark of that location is to be cleared. */
  void unmark(OutputLocation location, Step blocks) {
    marked.add(new Marked(location, blocks));
  }

  /** So much of the memory tier is no longer held by outputs of that application. */
  void freed(String applicationId, long memoryBytes) {
    if (memoryBytes > 0) {
      freedBytes.merge(applicationId, memoryBytes, Long::sum);
    }
  }

  /** Tells the arbiter what was freed since it was told last, under the lock of the store. */
  void tell(MemoryArbiter arbiter) {
    Map<String, Long> told = Map.copyOf(freedBytes);
    freedBytes.clear(); // first: what fails halfway is not to be told twice
    told.forEach(arbiter::freed);
  }

  List<DiskSegment> retired() {
    return retired;
  }

  Map<DiskSegment, Long> cuts() {
    return cuts;
  }

  /** Those locations, which are not here any more. */
  List<Marked> takeMarked() {
    List<Marked> taken = List.copyOf(marked);
    marked.clear();
    return taken;
  }
}
