package io.sluice.spill.medium;

import io.sluice.rdma.memory.Mapping;
import io.sluice.spill.segment.SegmentFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Writes bytes to the memory tier of a pool and makes them safe. The contract:
 *
 * <ul>
 *   <li>{@link #map} maps a range of a segment for reading and writing; the caller closes the
 *       mapping.
 *   <li>After {@link #persist} returns, the bytes of that range survive the death of the process,
 *       and the loss of power if {@link #isPersistent()}. Bytes persisted later never become safe
 *       before them.
 *   <li>{@link #write} copies and persists in one call.
 *   <li>If {@link #isStoredDirectly()}, the caller may store into the mapping and persist
 *       afterwards; else every byte has to go through {@link #write}.
 *   <li>{@link #unavailabilityCause} says why the medium cannot be used for a pool; then no other
 *       method may be called. It never throws because a library is absent.
 *   <li>Safe from any thread on disjoint ranges.
 * </ul>
 */
public interface Medium {
  /** Name in settings, counters and messages. */
  String name();

  /** Whether persisted bytes survive the loss of power. */
  boolean isPersistent();

  /** Whether callers may store into the mapping themselves. */
  boolean isStoredDirectly();

  /** Why the medium cannot hold a pool at this existing directory or device; empty if it can. */
  Optional<String> unavailabilityCause(Path pool);

  /** Maps a range of an open segment for reading and writing. */
  Mapping map(SegmentFile file, long offsetBytes, int lengthBytes) throws IOException;

  /** Makes a range of a mapping safe. */
  void persist(Mapping mapping, int offsetBytes, int lengthBytes);

  /** Copies the remaining bytes of {@code source} into the mapping and makes them safe. */
  default void write(Mapping mapping, int offsetBytes, ByteBuffer source) {
    int lengthBytes = source.remaining();
    mapping.buffer().put(offsetBytes, source, source.position(), lengthBytes);
    source.position(source.limit());
    persist(mapping, offsetBytes, lengthBytes);
  }
}
