package io.sluice.spill.sort;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Memory that a sort buffer may have beyond its own, as long as nobody else wants it. The contract:
 *
 * <ul>
 *   <li>A chunk is the borrower's alone from {@link #allocate} until {@link #free}; its content is
 *       undefined at first.
 *   <li>Nothing is taken back: {@link #isWantedBack} says that the lender waits.
 *   <li>One thread borrows and gives back; any may ask whether something is wanted back.
 * </ul>
 */
public interface ChunkSource {
  /** Lends nothing. */
  ChunkSource NONE =
      new ChunkSource() {
        @Override
        public ByteBuffer allocate(int lengthBytes) {
          return null;
        }

        @Override
        public void free(List<ByteBuffer> chunks) {
          if (!chunks.isEmpty()) {
            throw new IllegalArgumentException("nothing was lent");
          }
        }

        @Override
        public boolean isWantedBack() {
          return false;
        }
      };

  /**
   * Lends a chunk, cleared and big-endian, without waiting for anybody to give some back.
   *
   * @return null if there is none now
   * @throws IOException if what was lent before is no longer the borrower's either
   */
  ByteBuffer allocate(int lengthBytes) throws IOException;

  /**
   * Takes chunks back, the very buffers that were lent.
   *
   * @throws IllegalArgumentException if one was not lent, or is back already
   * @throws IOException as {@link #allocate}
   */
  void free(List<ByteBuffer> chunks) throws IOException;

  /** Whether the borrower is to give back all that it has, as soon as it can. */
  boolean isWantedBack();
}
