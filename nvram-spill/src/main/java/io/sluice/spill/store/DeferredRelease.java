package io.sluice.spill.store;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What is still to be done when something was given back. A disk takes its time, so what is to be
 * done there is decided under the lock of the store and done behind it. The keeper of the memory is
 * told once for many outputs.
 *
 * <p>Thread contract: one thread. Failure: none of its own.
 */
final class DeferredRelease {
  private final List<SegmentHandle> retired = new ArrayList<>();
  private final Map<SegmentHandle, Long> cuts = new LinkedHashMap<>();
  private final List<Marked> marked = new ArrayList<>();
  private final Map<String, Long> freedBytes = new LinkedHashMap<>();

  /** Gives back blocks, under the lock of the store. */
  interface Step {
    void run(DeferredRelease givenBack) throws IOException;
  }

  /**
   * A place on disk that nobody finds any more.
   *
   * @param blocks is run once its mark is cleared: until then the mark claims them
   */
  record Marked(OutputLocation place, Step blocks) {}

  /** Nothing of this segment is left, and nobody knows it any more. */
  void retire(SegmentHandle segment) {
    cuts.remove(segment);
    retired.add(segment);
  }

  /** Nothing of this file is left behind there. */
  void cut(SegmentHandle segment, long endBytes) {
    cuts.put(segment, endBytes);
  }

  /** The mark of that place is to be cleared. */
  void unmark(OutputLocation place, Step blocks) {
    marked.add(new Marked(place, blocks));
  }

  /** So much of the memory tier is no longer held by outputs of that application. */
  void freed(String applicationId, long memoryBytes) {
    if (memoryBytes > 0) {
      freedBytes.merge(applicationId, memoryBytes, Long::sum);
    }
  }

  /** Tells the keeper what was freed since it was told last, under the lock of the store. */
  void tell(MemoryArbiter keeper) {
    Map<String, Long> told = Map.copyOf(freedBytes);
    freedBytes.clear(); // first: what fails halfway is not to be told twice
    told.forEach(keeper::freed);
  }

  List<SegmentHandle> retired() {
    return retired;
  }

  Map<SegmentHandle, Long> cuts() {
    return cuts;
  }

  /** Those places, which are not here any more. */
  List<Marked> takeMarked() {
    List<Marked> taken = List.copyOf(marked);
    marked.clear();
    return taken;
  }
}
