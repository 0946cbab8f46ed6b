package io.sluice.spark.migrate;

import io.sluice.spark.pool.ReceivedOutput;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import org.apache.spark.network.client.StreamCallbackWithID;

/**
 * The bytes of an output on their way into the pool.
 *
 * <p>Thread contract: one thread. Ownership: owns what it writes to until it is whole.
 */
final class DataStream implements StreamCallbackWithID {
  private final String name;
  private final ReceivedOutput output;
  private final Receiver receiver;

  DataStream(String name, ReceivedOutput output, Receiver receiver) {
    this.name = name;
    this.output = output;
    this.receiver = receiver;
  }

  /** Gets the output when all its bytes have come. */
  interface Receiver {
    void received(ReceivedOutput output) throws IOException;
  }

  @Override
  public String getID() {
    return name;
  }

  @Override
  public void onData(String streamId, ByteBuffer bytes) throws IOException {
    output.write(bytes);
  }

  @Override
  public void onComplete(String streamId) throws IOException {
    receiver.received(output);
  }

  @Override
  public void onFailure(String streamId, Throwable cause) {
    try {
      output.close();
    } catch (IOException e) {
      throw new UncheckedIOException("what has come of " + name + " could not be freed", e);
    }
  }
}
