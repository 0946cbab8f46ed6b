package io.sluice.spill.sort;

import io.sluice.spill.format.RecordFormat;
import io.sluice.spill.format.RecordFormat.VInt;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The encoded records of a buffer, one after the other in an address space that runs through its
 * chunks; a record may straddle them, so no chunk's tail is wasted and a record may be as large as
 * the pool.
 *
 * <pre>
 *   address  0              chunkBytes     2*chunkBytes
 *            |  chunk 0    |  chunk 1     |  chunk 2 ...
 *            | r0 | r1 | r2 ...   | r7    |        r8 ... end
 * </pre>
 *
 * <p>Addresses are unsigned 32-bit in the index, hence {@link #MAX_BYTES}. Thread contract: single
 * thread. Ownership: acquires chunks as it grows, gives all of them back in {@link #reset}.
 */
final class RecordArena {
  static final long MAX_BYTES = 1L << 32;

  private final SortChunks pool;
  private final int chunkBytes;
  private final int shift;
  private final byte[] header = new byte[RecordFormat.MAX_HEADER_BYTES];
  private ByteBuffer[] chunks = new ByteBuffer[8];
  private int chunkCount;
  private long endBytes;

  RecordArena(SortChunks pool) {
    this.pool = pool;
    this.chunkBytes = pool.chunkBytes();
    this.shift = Integer.numberOfTrailingZeros(chunkBytes);
  }

  /**
   * Makes room for more bytes; false if the pool or the address space is exhausted. Chunks that
   * were acquired until then are given back by {@link #giveBackUnused}.
   */
  boolean reserve(long lengthBytes) throws IOException {
    long needed = endBytes + lengthBytes;
    if (needed <= (long) chunkCount << shift) {
      return true;
    }
    if (needed > MAX_BYTES) {
      return false;
    }
    while (needed > (long) chunkCount << shift) {
      ByteBuffer chunk = pool.acquire();
      if (chunk == null) {
        return false;
      }
      if (chunkCount == chunks.length) {
        chunks = Arrays.copyOf(chunks, chunkCount * 2);
      }
      chunks[chunkCount++] = chunk;
    }
    return true;
  }

  /** Gives back the chunks that were reserved for a record which then was not appended. */
  void giveBackUnused() {
    while (chunkCount > 0 && (long) (chunkCount - 1) << shift >= endBytes) {
      pool.release(chunks[--chunkCount]);
      chunks[chunkCount] = null;
    }
  }

  /** Appends a record to reserved room and returns its address. */
  long append(byte[] record, int offset, int keyLength, int valueLength) {
    long address = endBytes;
    int at = (int) address & chunkBytes - 1;
    int length = keyLength + valueLength;
    if (length <= chunkBytes - RecordFormat.MAX_HEADER_BYTES - at) {
      ByteBuffer chunk = chunks[(int) (address >>> shift)];
      int body = RecordFormat.putHeader(chunk, at, keyLength, valueLength);
      chunk.put(body, record, offset, length);
      endBytes += body - at + length;
    } else {
      put(header, 0, RecordFormat.putHeader(header, 0, keyLength, valueLength));
      put(record, offset, length);
    }
    return address;
  }

  private void put(byte[] src, int offset, int lengthBytes) {
    int done = 0;
    while (done < lengthBytes) {
      int at = (int) endBytes & chunkBytes - 1;
      int part = Math.min(lengthBytes - done, chunkBytes - at);
      chunks[(int) (endBytes >>> shift)].put(at, src, offset + done, part);
      endBytes += part;
      done += part;
    }
  }

  /** Key length of the record at {@code address} in the high, value length in the low half. */
  long lengths(long address) {
    int at = (int) address & chunkBytes - 1;
    if (at <= chunkBytes - RecordFormat.MAX_HEADER_BYTES) {
      ByteBuffer chunk = chunks[(int) (address >>> shift)];
      int keyLength = VInt.get(chunk, at);
      return (long) keyLength << 32 | VInt.get(chunk, at + VInt.size(keyLength));
    }
    copyOut(address, header, 0, (int) Math.min(header.length, endBytes - address));
    int keyLength = VInt.get(header, 0);
    return (long) keyLength << 32 | VInt.get(header, VInt.size(keyLength));
  }

  /** Length of the whole record at {@code address}. */
  int encodedLength(long address) {
    long lengths = lengths(address);
    return (int) RecordFormat.encodedLength((int) (lengths >>> 32), (int) lengths);
  }

  /** Copies a range to an absolute offset of {@code dst}. */
  void copyOut(long address, ByteBuffer dst, int dstOffset, int lengthBytes) {
    int at = (int) address & chunkBytes - 1;
    if (lengthBytes <= chunkBytes - at) {
      dst.put(dstOffset, chunks[(int) (address >>> shift)], at, lengthBytes);
      return;
    }
    int done = 0;
    while (done < lengthBytes) {
      at = (int) (address + done) & chunkBytes - 1;
      int part = Math.min(lengthBytes - done, chunkBytes - at);
      dst.put(dstOffset + done, chunks[(int) (address + done >>> shift)], at, part);
      done += part;
    }
  }

  /** Copies a range into {@code dst}; one of no bytes may begin where the last chunk ends. */
  void copyOut(long address, byte[] dst, int dstOffset, int lengthBytes) {
    int at = (int) address & chunkBytes - 1;
    if (lengthBytes > 0 && lengthBytes <= chunkBytes - at) {
      chunks[(int) (address >>> shift)].get(at, dst, dstOffset, lengthBytes);
      return;
    }
    int done = 0;
    while (done < lengthBytes) {
      at = (int) (address + done) & chunkBytes - 1;
      int part = Math.min(lengthBytes - done, chunkBytes - at);
      chunks[(int) (address + done >>> shift)].get(at, dst, dstOffset + done, part);
      done += part;
    }
  }

  long endBytes() {
    return endBytes;
  }

  void reset() {
    endBytes = 0;
    giveBackUnused();
  }
}
