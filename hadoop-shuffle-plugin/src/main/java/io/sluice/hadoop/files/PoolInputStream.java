package io.sluice.hadoop.files;

import io.sluice.hadoop.conf.JobSettings;
import io.sluice.node.client.NodeBusyException;
import io.sluice.node.client.NodeRun;
import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.text.ErrorText;
import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.LongConsumer;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSExceptionMessages;
import org.apache.hadoop.fs.FSInputStream;
import org.apache.hadoop.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads a file from its node's pool. It reads a run at a time, and checks the run before it hands
 * on any byte. It holds no window of a transport between two reads, so any number of files can be
 * open.
 *
 * <p>Thread contract: safe from any thread, one at a time. Ownership: its opener closes it.
 * Failure: {@link IOException} with the names of file and node, if the node does not have the file
 * any more, or is busy. If the file has a copy, that is read from there to the end instead.
 */
final class PoolInputStream extends FSInputStream {
  private static final Logger LOG = LoggerFactory.getLogger(PoolInputStream.class);

  private final Path path; // for messages
  private final PooledFile file;
  private final long lengthBytes;
  private final FileNodes nodes;
  private final PooledFiles copies;
  private final LongConsumer counter;

  private final List<NodeRun> runs = new ArrayList<>(); // of one block; null if it was read
  private long located = -1; // that block
  private byte[] run = new byte[0];
  private long runStartBytes;
  private long runEndBytes; // of what is in the run
  private FSDataInputStream copied; // null as long as the node is read
  private long positionBytes;
  private boolean closed;

  PoolInputStream(
      Path path,
      PooledFile file,
      long lengthBytes,
      FileNodes nodes,
      PooledFiles copies,
      LongConsumer counter) {
    this.path = path;
    this.file = file;
    this.lengthBytes = lengthBytes;
    this.nodes = nodes;
    this.copies = copies;
    this.counter = counter;
  }

  private void checkOpen() throws IOException {
    if (closed) {
      throw new IOException(FSExceptionMessages.STREAM_IS_CLOSED);
    }
  }

  @Override
  public synchronized int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public synchronized int read(byte[] destination, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, destination.length);
    checkOpen();
    if (length == 0) {
      return 0;
    }
    if (positionBytes >= lengthBytes) {
      return -1;
    }
    if (copied == null && !isAtHand()) {
      fetchOrFallBack();
    }
    int n;
    if (copied == null) {
      n = (int) Math.min(length, runEndBytes - positionBytes);
      System.arraycopy(run, (int) (positionBytes - runStartBytes), destination, offset, n);
    } else {
      n = copied.read(positionBytes, destination, offset, length);
      if (n < 0) {
        throw new EOFException(
            "the copy of %s ends at %s of %s bytes".formatted(path, positionBytes, lengthBytes));
      }
    }
    positionBytes += n;
    counter.accept(n);
    return n;
  }

  private boolean isAtHand() {
    return positionBytes >= runStartBytes && positionBytes < runEndBytes;
  }

  private void fetchOrFallBack() throws IOException {
    try {
      fetch();
    } catch (InterruptedIOException e) {
      throw e; // the file is sound
    } catch (IOException e) {
      if (!file.copied()) {
        if (e instanceof NodeBusyException) {
          throw e; // as here
        }
        throw new IOException(
            "%s is lost at %s of %s bytes: %s. What wrote it has to run again; with %s, files outlive their node"
                .formatted(
                    path,
                    positionBytes,
                    lengthBytes,
                    ErrorText.of(e),
                    JobSettings.CLUSTER_WRITE_BEHIND.name()),
            e);
      }
      LOG.warn("Reading the copy of {} from byte {} on: {}", path, positionBytes, ErrorText.of(e));
      copied = copies.openCopy(file);
      forget();
    }
  }

  private void fetch() throws IOException {
    long block = positionBytes / file.blockBytes();
    long inBlock = positionBytes - block * file.blockBytes();
    int index = (int) (inBlock / file.runBytes());
    if (block != located || index >= runs.size() || runs.get(index) == null) {
      locate(block, index);
    }
    long startBytes = block * file.blockBytes() + (long) index * file.runBytes();
    long blockEndBytes = Math.min(lengthBytes, (block + 1) * file.blockBytes());
    int expectedBytes = (int) Math.min(file.runBytes(), blockEndBytes - startBytes);
    runEndBytes = runStartBytes; // no bytes are here if reading fails
    if (run.length < expectedBytes) {
      run = new byte[expectedBytes];
    }
    try (NodeRun reading = runs.set(index, null)) {
      if (reading.lengthBytes() != expectedBytes) {
        throw new IOException(
            "%s has %s bytes, expected %s"
                .formatted(reading.name(), reading.lengthBytes(), expectedBytes));
      }
      nodes.begin(reading);
      for (int done = 0; done < expectedBytes; ) {
        int n = reading.input().read(run, done, expectedBytes - done);
        if (n < 0) {
          throw new EOFException(reading.name() + " ends after " + done + " bytes");
        }
        done += n;
      }
    }
    runStartBytes = startBytes;
    runEndBytes = startBytes + expectedBytes;
  }

  private void locate(long block, int index) throws IOException {
    closeRuns();
    List<NodeRun> found = nodes.locate(file, block);
    if (index >= found.size()) {
      Closer.all(found);
      throw new IOException(
          "the %s (port %s) has no block %s of it"
              .formatted(file.address().name(), file.controlPort(), block));
    }
    runs.addAll(found);
    located = block;
  }

  private void closeRuns() throws IOException {
    List<NodeRun> closing = runs.stream().filter(Objects::nonNull).toList();
    runs.clear();
    located = -1;
    Closer.all(closing);
  }

  private void forget() throws IOException {
    run = new byte[0];
    runStartBytes = 0;
    runEndBytes = 0;
    closeRuns();
  }

  @Override
  public synchronized void seek(long targetBytes) throws IOException {
    checkOpen();
    if (targetBytes < 0) {
      throw new EOFException(FSExceptionMessages.NEGATIVE_SEEK + ": " + targetBytes);
    }
    if (targetBytes > lengthBytes) {
      throw new EOFException(
          "%s: %s, of a file of %s bytes"
              .formatted(FSExceptionMessages.CANNOT_SEEK_PAST_EOF, targetBytes, lengthBytes));
    }
    positionBytes = targetBytes;
  }

  @Override
  public synchronized long skip(long wantedBytes) throws IOException {
    checkOpen();
    long n = Math.max(0, Math.min(wantedBytes, lengthBytes - positionBytes));
    positionBytes += n;
    return n;
  }

  @Override
  public synchronized long getPos() {
    return positionBytes;
  }

  @Override
  public boolean seekToNewSource(long targetBytes) {
    return false; // there is one source
  }

  @Override
  public synchronized int available() throws IOException {
    checkOpen();
    return (int) Math.min(Integer.MAX_VALUE, lengthBytes - positionBytes);
  }

  @Override
  public synchronized void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    FSDataInputStream closing = copied;
    try (closing) {
      forget();
    }
  }
}
