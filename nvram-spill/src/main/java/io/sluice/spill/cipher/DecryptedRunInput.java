package io.sluice.spill.cipher;

import io.sluice.spill.format.BlockChecksums;
import io.sluice.spill.merge.RunInput;
import io.sluice.spill.merge.RunInput.ClosedRunException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReference;
import javax.crypto.AEADBadTagException;

/**
 * Decrypts a run frame by frame. It returns no byte before the tag of the whole frame was right. So
 * the codec, the parser and the user's code see the bytes that a task of the job wrote for this
 * run, or none.
 *
 * <p>It reads from a {@link io.sluice.spill.merge.VerifiedRunInput}, which finds damage and stale
 * locations and has the block read again. Bytes that pass there and fail here were forged.
 *
 * <p>A frame is decrypted straight into the caller's array if there is room for it, else into an
 * array of its own.
 *
 * <p>Thread contract: one thread; another one may close it during a read. Ownership: owns and
 * closes the input it wraps; the key stays its owner's. Failure: {@link ForgedRunException}, or an
 * exception of the input; then only {@link #close} is left. A read that {@link #close} overtakes
 * throws {@link ClosedRunException}, whatever it found: that says nothing about the run.
 */
public final class DecryptedRunInput implements RunInput {
  private static final byte[] NONE = {};

  private final String name;
  private final RunInput input;
  private final long lengthBytes;
  private final RunKey key;
  private final int partition;
  private final int ordinal;
  private final ByteBuffer aad = ByteBuffer.allocate(RunLayout.AAD_BYTES);
  private final AtomicReference<FrameCipher> cipher = new AtomicReference<>(); // null: not open
  private byte[] salt = NONE;
  private byte[] stored = NONE;
  private byte[] plain = NONE;
  private int plainPosition;
  private int plainLimit;
  private int frame;
  private long readBytes;
  private IOException failure;
  private RuntimeException fault;
  private volatile boolean closed;

  /**
   * Expects one run, encrypted, from {@code input}.
   *
   * @param name for messages
   * @param lengthBytes of the run as it is stored
   * @param partition that it must be of
   * @param ordinal that it must have among the runs of its partition
   */
  public DecryptedRunInput(
      String name, RunInput input, long lengthBytes, RunKey key, int partition, int ordinal) {
    this.name = name;
    this.input = input;
    this.lengthBytes = lengthBytes;
    this.key = key;
    this.partition = partition;
    this.ordinal = ordinal;
  }

  /** Length of an encrypted run before encryption. */
  public static long plainBytes(long storedBytes) {
    return RunLayout.plainBytes(storedBytes);
  }

  @Override
  public int read(byte[] dst, int offset, int length) throws IOException {
    if (fault != null) {
      throw fault; // a part of the run may be gone, so that the rest would look forged
    }
    try {
      if (failure == null && !closed) {
        int n = length == 0 ? 0 : readSome(dst, offset, length);
        if (!closed) {
          return n;
        }
      }
    } catch (IOException e) {
      if (!closed) {
        failure = e;
      }
    } catch (RuntimeException e) {
      if (!closed) {
        fault = e;
        throw e;
      }
    }
    if (closed) {
      forget(); // the cipher that this read opened after close()
    }
    throw failure == null ? new ClosedRunException(name) : failure;
  }

  private int readSome(byte[] dst, int offset, int length) throws IOException {
    while (plainPosition == plainLimit) {
      if (readBytes == lengthBytes && frame > 0) {
        return end(dst, offset);
      }
      int storedBytes = readFrame();
      int n = plainBytes(storedBytes);
      if (n > 0 && n <= length) {
        decrypt(n, dst, offset);
        return n;
      }
      if (plain.length < n) {
        plain = new byte[n];
      }
      decrypt(n, plain, 0);
      plainPosition = 0;
      plainLimit = n;
    }
    int n = Math.min(length, plainLimit - plainPosition);
    System.arraycopy(plain, plainPosition, dst, offset, n);
    plainPosition += n;
    return n;
  }

  /** Reads the next block, and the header with the first. */
  private int readFrame() throws IOException {
    if (lengthBytes < RunLayout.MIN_RUN_BYTES) {
      throw forged("it has " + lengthBytes + " bytes", null);
    }
    int blockBytes = BlockChecksums.blockBytes(lengthBytes, frame);
    if (stored.length < blockBytes) {
      stored = new byte[blockBytes];
    }
    for (int done = 0; done < blockBytes; ) {
      int n = input.read(stored, done, blockBytes - done);
      if (n < 0) {
        throw forged("it ends after " + (readBytes + done) + " of " + lengthBytes + " bytes", null);
      }
      done += n;
    }
    readBytes += blockBytes;
    if (frame == 0) {
      open();
    }
    return blockBytes;
  }

  private void open() throws IOException {
    ByteBuffer header = ByteBuffer.wrap(stored, 0, RunLayout.HEADER_BYTES);
    int ofPartition = header.getInt(RunLayout.PARTITION_OFFSET);
    int withOrdinal = header.getInt(RunLayout.ORDINAL_OFFSET);
    byte[] marker = Arrays.copyOf(stored, RunLayout.MARKER_BYTES);
    salt = Arrays.copyOfRange(stored, RunLayout.SALT_OFFSET, RunLayout.PARTITION_OFFSET);
    cipher.set(key.open(name, marker, salt));
    if (ofPartition != partition || withOrdinal != ordinal) {
      throw forged(
          String.format(
              "it is run %s of partition %s, expected run %s of partition %s",
              withOrdinal, ofPartition, ordinal, partition),
          null);
    }
    aad.put(header);
  }

  /** Bytes of plaintext in the current frame; the number in the frame must agree. */
  private int plainBytes(int storedBytes) throws IOException {
    int offset = RunLayout.frameOffset(frame);
    int n = storedBytes - offset - RunLayout.FRAME_OVERHEAD_BYTES;
    int last = readBytes == lengthBytes ? RunLayout.LAST : 0;
    int said = n < 0 ? 0 : ByteBuffer.wrap(stored).getInt(offset);
    if (n < 0 || said != (last | n)) {
      throw forged(
          String.format(
              "frame %s of %s bytes says %08x of itself, expected %08x",
              frame, storedBytes - offset, said, last | n),
          null);
    }
    aad.putInt(RunLayout.HEADER_BYTES, said);
    return n;
  }

  private void decrypt(int n, byte[] dst, int offset) throws IOException {
    long startNs = System.nanoTime();
    int from = RunLayout.frameOffset(frame) + RunLayout.LENGTH_BYTES;
    byte[] nonce = RunLayout.nonce(partition, ordinal, frame);
    FrameCipher opened = cipher.get();
    if (opened == null) {
      throw new ClosedRunException(name);
    }
    try {
      opened.apply(nonce, aad.clear(), stored, from, n + RunLayout.TAG_BYTES, dst, offset);
    } catch (AEADBadTagException e) {
      throw forged("the tag of frame " + frame + " is wrong", e);
    }
    key.stats().decrypted(n, System.nanoTime() - startNs);
    frame++;
  }

  private ForgedRunException forged(String what, Exception cause) {
    return new ForgedRunException(name, what, cause);
  }

  private int end(byte[] dst, int offset) throws IOException {
    if (input.read(dst, offset, 1) >= 0) {
      throw forged("it goes on behind " + lengthBytes + " bytes", null);
    }
    FrameCipher done = cipher.getAndSet(null); // either this or close() takes it
    if (done != null) {
      key.readToTheEnd(salt, done);
    }
    forget();
    return -1;
  }

  private void forget() {
    stored = NONE;
    plain = NONE;
    FrameCipher destroying = cipher.getAndSet(null);
    if (destroying != null) {
      destroying.key().destroy();
    }
  }

  /** Counts stored bytes, and plaintext for those that are decrypted and not read yet. */
  @Override
  public long remainingBytes() {
    return input.remainingBytes() + plainLimit - plainPosition;
  }

  @Override
  public void close() throws IOException {
    closed = true;
    forget();
    plainPosition = 0;
    plainLimit = 0;
    input.close();
  }

  /**
   * The bytes of a run are not those that a task of the job has encrypted, though their checksums
   * may be right: they were made or changed without the key, or belong to another run.
   */
  public static final class ForgedRunException extends IOException {
    private static final long serialVersionUID = 1L;

    ForgedRunException(String run, String what, Throwable cause) {
      super(
          String.format(
              "run %s is not what a task of this job encrypted: %s; it is not used, re-run"
                  + " its map",
              run, what),
          cause);
    }
  }
}
