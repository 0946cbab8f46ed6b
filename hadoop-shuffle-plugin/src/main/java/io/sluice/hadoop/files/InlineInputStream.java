package io.sluice.hadoop.files;

import java.io.EOFException;
import java.io.IOException;
import java.util.function.LongConsumer;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSExceptionMessages;
import org.apache.hadoop.fs.FSInputStream;

/**
 * Reads a file that lies in its record.
 *
 * <p>Thread contract: positioned reads from any thread, everything else from one. Ownership: owns
 * the record's stream. Failure: that of the root's file system.
 */
final class InlineInputStream extends FSInputStream {
  private static final int HEAD_BYTES = FileRecord.HEAD_BYTES;

  private final FSDataInputStream record;
  private final LongConsumer counter;

  /** Reads on behind the head of a record. */
  InlineInputStream(FSDataInputStream record, LongConsumer counter) {
    this.record = record;
    this.counter = counter;
  }

  private int counted(int bytes) {
    counter.accept(Math.max(0, bytes));
    return bytes;
  }

  @Override
  public int read() throws IOException {
    int value = record.read();
    counted(value < 0 ? 0 : 1);
    return value;
  }

  @Override
  public int read(byte[] destination, int offset, int length) throws IOException {
    return counted(record.read(destination, offset, length));
  }

  @Override
  public int read(long fromBytes, byte[] destination, int offset, int length) throws IOException {
    validatePositionedReadArgs(fromBytes, destination, offset, length);
    return counted(record.read(HEAD_BYTES + fromBytes, destination, offset, length));
  }

  @Override
  public void seek(long targetBytes) throws IOException {
    if (targetBytes < 0) {
      throw new EOFException(FSExceptionMessages.NEGATIVE_SEEK + ": " + targetBytes);
    }
    record.seek(HEAD_BYTES + targetBytes);
  }

  @Override
  public long skip(long wantedBytes) throws IOException {
    return record.skip(wantedBytes);
  }

  @Override
  public long getPos() throws IOException {
    return record.getPos() - HEAD_BYTES;
  }

  @Override
  public boolean seekToNewSource(long targetBytes) throws IOException {
    return record.seekToNewSource(HEAD_BYTES + targetBytes);
  }

  @Override
  public int available() throws IOException {
    return record.available();
  }

  @Override
  public void close() throws IOException {
    record.close();
  }
}
