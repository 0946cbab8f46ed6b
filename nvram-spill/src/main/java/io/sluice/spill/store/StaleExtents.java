package io.sluice.spill.store;

import io.sluice.spill.format.OutputId;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Places that outputs have left and that readers were told of. They stay as they were until their
 * blocks are wanted, because a reader that reads there need not ask again.
 *
 * <p>Thread contract: guarded by the lock of the store.
 */
final class StaleExtents {
  private final Map<OutputId, OutputLocation> places = new LinkedHashMap<>(); // oldest first

  /** The output has left it; it moves once at most, from memory to disk. */
  void add(OutputId id, OutputLocation place) {
    places.put(id, place);
  }

  boolean isEmpty() {
    return places.isEmpty();
  }

  /** The oldest, for its blocks to be granted again. */
  Optional<OutputLocation> takeOldest() {
    Iterator<OutputLocation> oldest = places.values().iterator();
    if (!oldest.hasNext()) {
      return Optional.empty();
    }
    OutputLocation place = oldest.next();
    oldest.remove();
    return Optional.of(place);
  }

  /** Takes those that lie in a segment, all or in part, for the same. */
  List<OutputLocation> takeIn(int segmentId) {
    List<OutputLocation> found =
        places.values().stream().filter(place -> place.liesIn(segmentId)).toList();
    places.values().removeAll(found);
    return found;
  }

  /** That of an output, which is freed. */
  Optional<OutputLocation> take(OutputId id) {
    return Optional.ofNullable(places.remove(id));
  }
}
