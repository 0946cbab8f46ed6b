package io.sluice.spill.cipher;

import io.sluice.spill.cipher.FrameCipher.AesGcm;
import io.sluice.spill.format.RunEncoder;
import java.io.IOException;
import java.nio.ByteBuffer;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;

/**
 * Encrypts the runs of one writer, frame by frame as {@link RunLayout} draws them, and writes them
 * to a sink.
 *
 * <p>Per run: {@link #beginRun}, then {@link #room} and {@link #advance}, or {@link #write}, as
 * often as needed, then {@link #endRun}. A full frame is encrypted when more bytes come: it may be
 * the last, which is marked.
 *
 * <p>Thread contract: one thread. Ownership: plain heap memory; key and sink stay their owner's.
 * Failure: an exception of the sink; the run is then useless.
 */
public final class RunEncryptor {
  private final OutputKey key;
  private final RunEncoder.Sink sink;
  private final FrameCipher cipher;
  private final byte[] plain = new byte[RunLayout.FULL_BYTES];
  private final ByteBuffer room = ByteBuffer.wrap(plain);
  private final byte[] stored = new byte[RunLayout.FRAME_BYTES];
  private final ByteBuffer aad = ByteBuffer.allocate(RunLayout.AAD_BYTES);
  private boolean open;
  private int partition;
  private int ordinal;
  private int frame;
  private int filled;

  /** Writes to {@code sink}. */
  public RunEncryptor(OutputKey key, RunEncoder.Sink sink) {
    this.key = key;
    this.sink = sink;
    this.cipher = new FrameCipher(Cipher.ENCRYPT_MODE, key.aes(), AesGcm.provider());
  }

  /** Length of a run after encryption. */
  public static long storedBytes(long plainBytes) {
    return RunLayout.storedBytes(plainBytes);
  }

  /**
   * Starts a run. The bytes of a run that has not ended are dropped.
   *
   * @return its number among those that were begun for its partition with this key
   */
  public int beginRun(int partition) {
    this.partition = partition;
    ordinal = key.nextOrdinal(partition);
    frame = 0;
    filled = 0;
    open = true;
    aad.clear()
        .put(key.marker())
        .put(key.salt())
        .putInt(RunLayout.PARTITION_OFFSET, partition)
        .putInt(RunLayout.ORDINAL_OFFSET, ordinal);
    return ordinal;
  }

  /**
   * Room for at least one of the next bytes of the run, from the buffer's position to its limit.
   * Fill it from the position on, then call {@link #advance}; the buffer is not used after that.
   */
  public ByteBuffer room() throws IOException {
    int full = RunLayout.fullBytes(frame);
    if (filled == full) {
      endFrame(0);
      full = RunLayout.fullBytes(frame);
    }
    return room.limit(full).position(filled);
  }

  /** Appends the first {@code lengthBytes} bytes of the last {@link #room} to the run. */
  public void advance(int lengthBytes) {
    filled += lengthBytes;
  }

  /** Appends bytes to the run. */
  public void write(byte[] bytes, int offset, int lengthBytes) throws IOException {
    int done = 0;
    while (done < lengthBytes) {
      ByteBuffer to = room();
      int n = Math.min(to.remaining(), lengthBytes - done);
      System.arraycopy(bytes, offset + done, plain, filled, n);
      advance(n);
      done += n;
    }
  }

  /** Ends the run: all of it is in the sink then. */
  public void endRun() throws IOException {
    endFrame(RunLayout.LAST);
    open = false;
  }

  private void endFrame(int last) throws IOException {
    if (!open || frame < 0) {
      throw new IllegalStateException(open ? "the run is too long for one key" : "no run is open");
    }
    long startNs = System.nanoTime();
    int offset = RunLayout.frameOffset(frame);
    aad.putInt(RunLayout.HEADER_BYTES, last | filled).clear();
    if (frame == 0) {
      aad.get(0, stored, 0, RunLayout.HEADER_BYTES);
    }
    aad.get(RunLayout.HEADER_BYTES, stored, offset, RunLayout.LENGTH_BYTES);
    int length = offset + RunLayout.LENGTH_BYTES;
    try {
      byte[] nonce = RunLayout.nonce(partition, ordinal, frame);
      length += cipher.apply(nonce, aad, plain, 0, filled, stored, length);
    } catch (AEADBadTagException e) {
      throw new AssertionError("a tag is made here, not checked", e);
    }
    key.stats().encrypted(filled, System.nanoTime() - startNs);
    frame++;
    filled = 0;
    sink.write(stored, 0, length);
  }
}
