package io.sluice.spark.migrate;

import io.sluice.spark.pool.ExecutorPool;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.spark.network.client.StreamCallbackWithID;
import org.apache.spark.storage.ShuffleIndexBlockId;

/**
 * Receives the index of an output: where each partition begins and the last one ends, as numbers of
 * 8 bytes. It then commits the output.
 *
 * <p>Thread contract: one thread. Failure: {@link IOException} if the bytes are no such index.
 */
final class IndexStream implements StreamCallbackWithID {
  private final IncomingOutputs outputs;
  private final ExecutorPool pool;
  private final ShuffleIndexBlockId index;
  private final ByteArrayOutputStream received = new ByteArrayOutputStream();

  IndexStream(IncomingOutputs outputs, ExecutorPool pool, ShuffleIndexBlockId index) {
    this.outputs = outputs;
    this.pool = pool;
    this.index = index;
  }

  @Override
  public String getID() {
    return index.name();
  }

  @Override
  public void onData(String streamId, ByteBuffer bytes) {
    byte[] copy = new byte[bytes.remaining()];
    bytes.get(copy);
    received.writeBytes(copy);
  }

  @Override
  public void onComplete(String streamId) throws IOException {
    outputs.commit(pool, index, partitionBytes());
  }

  private long[] partitionBytes() throws IOException {
    ByteBuffer offsets = ByteBuffer.wrap(received.toByteArray());
    if (offsets.remaining() % Long.BYTES != 0 || offsets.remaining() < 2 * Long.BYTES) {
      throw new IOException(
          index.name()
              + " has "
              + offsets.remaining()
              + " bytes, expected 8 for each partition and 8 more");
    }
    long[] lengthsBytes = new long[offsets.remaining() / Long.BYTES - 1];
    long beginBytes = offsets.getLong();
    boolean ascends = beginBytes == 0;
    for (int partition = 0; partition < lengthsBytes.length; partition++) {
      long endBytes = offsets.getLong();
      ascends &= endBytes >= beginBytes;
      lengthsBytes[partition] = endBytes - beginBytes;
      beginBytes = endBytes;
    }
    if (!ascends) {
      throw new IOException(index.name() + " does not begin at 0 or does not ascend");
    }
    return lengthsBytes;
  }

  @Override
  public void onFailure(String streamId, Throwable cause) {
    // the received bytes go with this stream
  }
}
