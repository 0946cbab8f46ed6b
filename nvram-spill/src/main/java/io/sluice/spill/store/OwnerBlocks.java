package io.sluice.spill.store;

import io.sluice.spill.segment.Owner;
import java.util.HashMap;
import java.util.Map;

/**
 * The free blocks of each owner's segments. Unlike one {@link BlockSet} it never gives one owner
 * what lies beside the bytes of another.
 *
 * <p>Thread contract: guarded by the lock of the store.
 */
final class OwnerBlocks {
  private final int blockBytes;
  private final Map<Owner, BlockSet> sets = new HashMap<>();

  OwnerBlocks(int blockBytes) {
    this.blockBytes = blockBytes;
  }

  /** Those of one owner, to change. */
  BlockSet of(Owner owner) {
    return sets.computeIfAbsent(owner, unknown -> new BlockSet(blockBytes));
  }

  /** Forgets an owner that has no segment any more. */
  void forget(Owner owner) {
    sets.remove(owner);
  }

  /** Bytes of all of them. */
  long bytes() {
    return sets.values().stream().mapToLong(BlockSet::bytes).sum();
  }
}
