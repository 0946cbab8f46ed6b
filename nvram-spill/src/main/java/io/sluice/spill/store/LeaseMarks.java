package io.sluice.spill.store;

import io.sluice.spill.segment.Range;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Remembers across a restart of the service which blocks of the memory tier were granted, because a
 * task that outlived the service may still be writing there. All others can be granted again at
 * once.
 *
 * <pre>
 *   0                     blocks per segment
 *   +---------------------+---------------------+ - - -
 *   | segment 0           | segment 1           |        one byte per block:
 *   +---------------------+---------------------+ - - -  0 free, 1 granted
 * </pre>
 *
 * <p>It need not survive the loss of power, which no task survives either. Thread contract: guarded
 * by the lock of the store. Ownership: {@link PoolFiles} closes it. Failure: {@link IOException} of
 * the file; nothing is granted then.
 */
final class LeaseMarks implements Closeable {
  private static final String FILE = "pool.leases";
  private static final byte FREE = 0;
  private static final byte GRANTED = 1;

  private final FileChannel file;
  private final int blockBytes;
  private final long blocksPerSegment;

  private LeaseMarks(FileChannel file, StoreConfig config) {
    this.file = file;
    this.blockBytes = config.blockBytes();
    this.blocksPerSegment = config.segmentBytes() / config.blockBytes();
  }

  /** Starts with no block granted. */
  static LeaseMarks create(StoreConfig config) throws IOException {
    return new LeaseMarks(PrivateDirectory.createFile(config.directory().resolve(FILE)), config);
  }

  /** Goes on with what a former store granted. */
  static LeaseMarks open(StoreConfig config) throws IOException {
    Path path = config.directory().resolve(FILE);
    return new LeaseMarks(PrivateDirectory.openFile(path), config);
  }

  void granted(Range range) throws IOException {
    write(range, GRANTED);
  }

  void freed(Range range) throws IOException {
    write(range, FREE);
  }

  private void write(Range range, byte mark) throws IOException {
    byte[] marks = new byte[(int) (range.lengthBytes() / blockBytes)];
    Arrays.fill(marks, mark);
    ByteBuffer buffer = ByteBuffer.wrap(marks);
    long position = position(range);
    while (buffer.hasRemaining()) {
      file.write(buffer, position + buffer.position());
    }
  }

  private long position(Range range) {
    return range.segmentId() * blocksPerSegment + range.offsetBytes() / blockBytes;
  }

  /** The parts of {@code range} that were not granted when the former store ended. */
  List<Range> notGranted(Range range) throws IOException {
    ByteBuffer marks = ByteBuffer.allocate((int) (range.lengthBytes() / blockBytes));
    long position = position(range);
    // What lies behind the end of the file was never granted, as were the zeros that stay here.
    while (marks.hasRemaining() && file.read(marks, position + marks.position()) >= 0) {}
    List<Range> parts = new ArrayList<>();
    int blocks = marks.capacity();
    for (int start = 0; start < blocks; start++) {
      int end = start;
      while (end < blocks && marks.get(end) == FREE) {
        end++;
      }
      if (end > start) {
        parts.add(
            new Range(
                range.segmentId(),
                range.offsetBytes() + (long) start * blockBytes,
                (long) (end - start) * blockBytes));
        start = end;
      }
    }
    return parts;
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
