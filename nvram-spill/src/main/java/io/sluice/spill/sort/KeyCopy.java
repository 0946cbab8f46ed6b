package io.sluice.spill.sort;

import io.sluice.spill.record.RecordFormat;

/**
 * One record's key on the heap, where comparators want it; the array is reused and grows.
 *
 * <p>Thread contract: single thread.
 */
final class KeyCopy {
  byte[] bytes = new byte[64];
  int length;

  /** Copies the key of the record at {@code address}. */
  void load(RecordArena arena, long address) {
    load(arena, address, arena.lengths(address));
  }

  /** Copies the key of the record at {@code address}, whose lengths are known. */
  void load(RecordArena arena, long address, long lengths) {
    length = (int) (lengths >>> 32);
    if (length > bytes.length) {
      bytes = new byte[Math.max(length, (int) Math.min(2L * bytes.length, 1 << 30))];
    }
    arena.copyOut(address + RecordFormat.headerLength(length, (int) lengths), bytes, 0, length);
  }
}
