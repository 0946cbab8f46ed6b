package io.sluice.spark.migrate;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.spark.network.client.StreamCallbackWithID;

/**
 * Where the partitions of an output begin and the last one ends, as numbers of 8 bytes.
 *
 * <p>Thread contract: one thread. Failure: {@link IOException} if it is no such list.
 */
final class IndexStream implements StreamCallbackWithID {
  private final String name;
  private final Receiver receiver;
  private final ByteArrayOutputStream received = new ByteArrayOutputStream();

  IndexStream(String name, Receiver receiver) {
    this.name = name;
    this.receiver = receiver;
  }

  /** Gets the lengths of the partitions when all of them have come. */
  interface Receiver {
    void received(long[] partitionBytes) throws IOException;
  }

  @Override
  public String getID() {
    return name;
  }

  @Override
  public void onData(String streamId, ByteBuffer bytes) {
    byte[] copy = new byte[bytes.remaining()];
    bytes.get(copy);
    received.writeBytes(copy);
  }

  @Override
  public void onComplete(String streamId) throws IOException {
    receiver.received(partitionBytes());
  }

  private long[] partitionBytes() throws IOException {
    ByteBuffer index = ByteBuffer.wrap(received.toByteArray());
    if (index.remaining() % Long.BYTES != 0 || index.remaining() < 2 * Long.BYTES) {
      throw new IOException(
          name + " has " + index.remaining() + " bytes, expected 8 for each partition and 8 more");
    }
    long[] lengthsBytes = new long[index.remaining() / Long.BYTES - 1];
    long beginBytes = index.getLong();
    boolean ascends = beginBytes == 0;
    for (int partition = 0; partition < lengthsBytes.length; partition++) {
      long endBytes = index.getLong();
      ascends &= endBytes >= beginBytes;
      lengthsBytes[partition] = endBytes - beginBytes;
      beginBytes = endBytes;
    }
    if (!ascends) {
      throw new IOException(name + " does not begin at 0 or does not ascend");
    }
    return lengthsBytes;
  }

  @Override
  public void onFailure(String streamId, Throwable cause) {
    // nothing of it is kept
  }
}
