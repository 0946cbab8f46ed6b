package io.sluice.spill.store;

import io.sluice.rdma.memory.LendingReader.LentBytes;
import io.sluice.spill.disk.DeviceFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

/**
 * Bytes on their way to a leased range of the disk tier: the caller fills the memory, then writes.
 *
 * <p>Thread contract: one thread. Ownership: the caller that begins it closes it, soon, because
 * others wait for the memory. Failure: {@link IOException}; its directory is then left out for a
 * while.
 */
public final class DiskWrite implements LentBytes {
  private final DeviceFile.Write write;
  private final Consumer<IOException> onFailure;

  DiskWrite(DeviceFile.Write write, Consumer<IOException> onFailure) {
    this.write = write;
    this.onFailure = onFailure;
  }

  @Override
  public ByteBuffer bytes() {
    return write.bytes();
  }

  /** How long the caller may take to fill it. */
  public long fillTimeoutMs() {
    return write.fillTimeoutMs();
  }

  /** Returns when all of it is where it belongs. */
  public void run() throws IOException {
    try {
      write.run();
    } catch (IOException e) {
      onFailure.accept(e);
      throw e;
    }
  }

  @Override
  public void close() {
    write.close();
  }
}
