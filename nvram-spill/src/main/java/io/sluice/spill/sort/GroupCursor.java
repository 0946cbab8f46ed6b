package io.sluice.spill.sort;

import io.sluice.spill.record.VInt;
import java.nio.ByteBuffer;

/**
 * The records of groups, key by key: a key stays where it is while its values pass.
 *
 * <p>Thread contract and ownership: those of a {@link RecordCursor}.
 */
final class GroupCursor implements RecordCursor {
  private final RecordCursor groups;
  private final ValueBlocks values;
  private final byte[] block;
  private long end = ValueBlocks.NONE;
  private int inBlock;
  private int endOffset;
  private int nextOffset;
  private int valueOffset;
  private int valueLength;

  /**
   * @param groups keys, with the heads of their groups as values
   */
  GroupCursor(RecordCursor groups, ValueBlocks values) {
    this.groups = groups;
    this.values = values;
    this.block = new byte[values.maxBlockBytes()];
  }

  @Override
  public boolean next() {
    if (nextOffset == endOffset && !nextBlock()) {
      return false;
    }
    valueLength = VInt.get(block, nextOffset);
    valueOffset = nextOffset + VInt.size(valueLength);
    nextOffset = valueOffset + valueLength;
    return true;
  }

  private boolean nextBlock() {
    if (end != ValueBlocks.NONE && inBlock != ValueBlocks.block(end)) {
      inBlock = values.next(inBlock);
    } else if (groups.next()) {
      ByteBuffer head = head();
      inBlock = head.getInt(KeyGroups.FIRST_BLOCK);
      end = head.getLong(KeyGroups.END);
    } else {
      return false;
    }
    endOffset = values.copyOut(inBlock, end, block);
    nextOffset = 0;
    return true;
  }

  /** The partition of this record. */
  int partition() {
    return head().getInt(KeyGroups.PARTITION);
  }

  private ByteBuffer head() {
    return ByteBuffer.wrap(groups.valueBytes(), groups.valueOffset(), groups.valueLength()).slice();
  }

  @Override
  public byte[] keyBytes() {
    return groups.keyBytes();
  }

  @Override
  public int keyOffset() {
    return groups.keyOffset();
  }

  @Override
  public int keyLength() {
    return groups.keyLength();
  }

  @Override
  public byte[] valueBytes() {
    return block;
  }

  @Override
  public int valueOffset() {
    return valueOffset;
  }

  @Override
  public int valueLength() {
    return valueLength;
  }
}
